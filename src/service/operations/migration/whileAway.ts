/** Waits for a server that is away for a while. */

import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../../../domain/failure.ts'

export interface Patience {
  /** How long the server may be away, in ms; a minute unless given. */
  readonly patienceMs?: number | undefined
  readonly signal: AbortSignal
}

const usualPatienceMs = 60_000
/** Between two tries. */
const pauseMs = 500

/** Does it again as it was, until the server has answered. Rejects with `unavailable` when that takes too long, and with everything else at once. */
export async function whileAway<Answer>(
  { patienceMs = usualPatienceMs, signal }: Patience,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isAway = error instanceof Failure && error.code === 'unavailable'
      if (!isAway || performance.now() >= untilMs) throw error
      await delay(pauseMs, undefined, { signal })
    }
  }
}
