/** How often passwords may be changed and asked about. Each instance counts for itself, and forgets when it is restarted. */

import { Failure } from '../../domain/failure.ts'
import type { PasswordMeter } from '../../metrics/passwordMeter.ts'
import type { UserPlace } from '../../service/sessions/usersPart.ts'
import type { RateLimit } from '../middleware/rateLimiter.ts'
import { type OwnedLimiter, ownedLimiter } from './ownedLimiter.ts'

/** Once so many were used, one more in each minute or half a minute. */
export const passwordRates = {
  /** Of one user, by whoever asks: right ones and wrong ones. */
  check: { burst: 10, perSecond: 1 / 60 },
  /** In one session, and of one user in all sessions. */
  session: { burst: 5, perSecond: 1 / 60 },
  user: { burst: 10, perSecond: 1 / 30 },
} as const satisfies Record<string, RateLimit>

/** Each throws `rate_limited` for one too many. */
export interface PasswordLimits {
  readonly check: (user: UserPlace) => void
  readonly change: (user: UserPlace, sessionId: string) => void
}

export interface PasswordLimitsOptions {
  /** A clock that never goes back. */
  readonly nowMs: () => number
  readonly meter: Pick<PasswordMeter, 'refused'>
}

/** Opens the limits of one process. */
export function openPasswordLimits({ nowMs, meter }: PasswordLimitsOptions): PasswordLimits {
  const take = (limiter: OwnedLimiter, account: string, key: string): void => {
    const { allowed, waitSeconds } = limiter(account).take(key)
    if (allowed) return
    meter.refused('rate_limited')
    throw new Failure('rate_limited', 'Too many passwords of this user; try again later.', {
      retryAfterSeconds: waitSeconds,
    })
  }
  const checks = ownedLimiter(passwordRates.check, nowMs)
  const sessions = ownedLimiter(passwordRates.session, nowMs)
  const users = ownedLimiter(passwordRates.user, nowMs)
  return {
    check: (user) => take(checks, user.account, keyOf(user)),
    change: (user, sessionId) => {
      take(sessions, user.account, sessionId)
      take(users, user.account, keyOf(user))
    },
  }
}

function keyOf({ appId, userId }: UserPlace): string {
  return `${appId} ${userId}`
}
