/** How often users end their sessions: each time may be an event on a disk that others write to. */

import { Failure } from '../../domain/failure.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import type { RateLimit } from '../middleware/rateLimiter.ts'
import { ownedLimiter } from './ownedLimiter.ts'

/** Once so many were used, one more in every ten or five seconds: a page of sessions can be ended one by one. */
export const revocationRates = {
  /** From one session, and of one user from all sessions. */
  session: { burst: 20, perSecond: 1 / 10 },
  user: { burst: 40, perSecond: 1 / 5 },
} as const satisfies Record<string, RateLimit>

/** Throws `rate_limited` for one too many. */
export type RevocationLimit = (user: UserPrincipal) => void

/** Opens the limit of one process with a clock that never goes back. */
export function openRevocationLimit(nowMs: () => number): RevocationLimit {
  const sessions = ownedLimiter(revocationRates.session, nowMs)
  const users = ownedLimiter(revocationRates.user, nowMs)
  return ({ accountId, userId, sessionId }) => {
    const ofSession = sessions(accountId).take(sessionId)
    const ofUser = ofSession.allowed ? users(accountId).take(userId) : ofSession
    if (ofUser.allowed) return
    throw new Failure('rate_limited', 'Sessions are ended too often; try again later.', {
      retryAfterSeconds: ofUser.waitSeconds,
    })
  }
}
