/** How far projections are behind the log, in time: positions are not dense, so their difference counts nothing. */

import type { ServiceContext } from '../opening/serviceContext.ts'

/** Of an event that waits, by whatever clock it was written: 0 says that none does. */
const leastMs = 1

/**
 * For each of these positions, for how many seconds the first event after it has waited to be handled; 0 only where there is none.
 * Throws what the store throws.
 */
export async function lagsOf(
  context: Pick<ServiceContext, 'events' | 'clock'>,
  projections: readonly { readonly position: number }[],
): Promise<ReadonlyMap<number, number>> {
  const positions = new Set(projections.map(({ position }) => position))
  const lags = [...positions].map(async (at) => [at, await lagOf(context, at)] as const)
  return new Map(await Promise.all(lags))
}

async function lagOf(
  { events, clock }: Pick<ServiceContext, 'events' | 'clock'>,
  position: number,
): Promise<number> {
  const [next] = await events.readAll({ after: position, limit: 1 })
  if (!next) return 0
  // of a projection that stopped, this may be the event that it cannot decode
  const { time } = JSON.parse(next.metadata) as { readonly time: number }
  return Math.max(leastMs, clock.nowMs() - time) / 1_000
}
