/** How often passwords may be changed and asked about. Each instance counts for itself, and forgets when it is restarted. */

import { Failure } from '../../domain/failure.ts'
import { fairCache } from '../../domain/fairCache.ts'
import type { PasswordMeter } from '../../metrics/passwordMeter.ts'
import type { UserPlace } from '../../service/sessions/usersPart.ts'
import {
  type Bucket,
  openRateLimiter,
  type RateLimit,
  type RateLimiter,
} from '../middleware/rateLimiter.ts'

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

/** Buckets of one kind. Whoever fills them with users that there are not pushes out their own. */
const bucketsMax = 20_000

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

type OwnedLimiter = (account: string) => RateLimiter

/** A limiter whose buckets belong to accounts. */
function ownedLimiter(rate: RateLimit, nowMs: () => number): OwnedLimiter {
  const buckets = fairCache<Bucket>(bucketsMax, () => 1)
  return (account) =>
    openRateLimiter(rate, nowMs, {
      get: (key) => buckets.get(account, key),
      set: (key, bucket) => buckets.set(account, key, bucket),
    })
}

function keyOf({ appId, userId }: UserPlace): string {
  return `${appId} ${userId}`
}
