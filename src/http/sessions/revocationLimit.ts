/** How often users end their sessions: each time may be an event on a disk that others write to. */

import { Failure } from '../../domain/failure.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import type { RateLimit } from '../middleware/rateLimiter.ts'
import type { RateBucket, Rates } from '../middleware/rates.ts'

/** Once so many were used, one more in every ten or five seconds: a page of sessions can be ended one by one. */
export const revocationRates = {
  /** From one session, and of one user from all sessions. */
  session: { burst: 20, perSecond: 1 / 10 },
  user: { burst: 40, perSecond: 1 / 5 },
} as const satisfies Record<string, RateLimit>

/** Rejects `rate_limited` for one too many, and like `Rates`. */
export type RevocationLimit = (user: UserPrincipal) => Promise<void>

/** The limit of what these rates count. */
export function openRevocationLimit(rates: Rates): RevocationLimit {
  return async ({ accountId, userId, sessionId }) => {
    const { allowed, waitSeconds } = await rates.take(accountId, [
      bucketOf('session', sessionId),
      bucketOf('user', userId),
    ])
    if (allowed) return
    throw new Failure('rate_limited', 'Sessions are ended too often; try again later.', {
      retryAfterSeconds: waitSeconds,
    })
  }
}

function bucketOf(limit: keyof typeof revocationRates, key: string): RateBucket {
  return { rate: revocationRates[limit], kind: `revocation ${limit}`, key }
}
