/** How often a session is refreshed: each time is an event on a disk that others write to, and a signature to verify. */

import { Failure } from '../../domain/failure.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import type { RateLimit } from '../middleware/rateLimiter.ts'
import { ownedLimiter } from './ownedLimiter.ts'

/**
 * Of one session. Whoever has lost an answer, asks again within five seconds and waits as long as told, which is five at the most, is
 * still in time for it: it is given again for ten seconds; later, the token would be taken for a stolen one.
 */
export const refreshRate = { burst: 20, perSecond: 1 / 5 } as const satisfies RateLimit

/** Counts a refresh of a session of an application; throws `rate_limited` for one too many. */
export type RefreshLimit = (app: Pick<ServedApp, 'account'>) => (sessionId: string) => void

/** Opens the limit of one process with a clock that never goes back. */
export function openRefreshLimit(nowMs: () => number): RefreshLimit {
  const sessions = ownedLimiter(refreshRate, nowMs)
  return ({ account }) =>
    (sessionId) => {
      const { allowed, waitSeconds } = sessions(account).take(sessionId)
      if (allowed) return
      throw new Failure('rate_limited', 'The session is refreshed too often; try again later.', {
        retryAfterSeconds: waitSeconds,
      })
    }
}
