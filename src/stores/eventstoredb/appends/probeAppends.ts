/** Probes whether EventStoreDB writes to disk, with an append that has no events. */

import type { Connection } from '../connection.ts'

/** No event ever stands in it. */
const stream = 'vigil_probe'

/** Undefined when the server has taken it, why not otherwise. */
export async function probeAppends(
  connection: Pick<Connection, 'line'>,
  attemptMs: number,
): Promise<Error | undefined> {
  const outcome = await connection.line().send({ stream, events: [], expected: 'any' }, attemptMs)
  if (outcome.kind === 'unknown') return outcome.reason
  return outcome.kind === 'refused' ? outcome.failure : undefined
}
