/** How often a session is refreshed: each time is an event on a disk that others write to, and a signature to verify. */

import { Failure } from '../../domain/failure.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import type { RateLimit } from '../middleware/rateLimiter.ts'
import type { Rates } from '../middleware/rates.ts'

/** Of one session. Whoever has lost an answer and waits as long as told, which is five seconds at the most, is still in time for it. */
export const refreshRate = { burst: 20, perSecond: 1 / 5 } as const satisfies RateLimit

/** Counts a refresh of a session of an application; rejects `rate_limited` for one too many, and like `Rates`. */
export type RefreshLimit = (app: Pick<ServedApp, 'account'>) => (sessionId: string) => Promise<void>

/** The limit of what these rates count. */
export function openRefreshLimit(rates: Rates): RefreshLimit {
  return ({ account }) =>
    async (sessionId) => {
      const bucket = { rate: refreshRate, kind: 'refresh', key: sessionId }
      const { allowed, waitSeconds } = await rates.take(account, [bucket])
      if (allowed) return
      throw new Failure('rate_limited', 'The session is refreshed too often; try again later.', {
        retryAfterSeconds: waitSeconds,
      })
    }
}
