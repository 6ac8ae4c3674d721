/** Limits of what is done about users. Each instance counts for itself, and forgets when it is restarted. */

import { fairCache } from '../../domain/fairCache.ts'
import {
  type Bucket,
  openRateLimiter,
  type RateLimit,
  type RateLimiter,
} from '../middleware/rateLimiter.ts'

/** The limiter of an account. */
export type OwnedLimiter = (account: string) => RateLimiter

/** Buckets of one kind. Whoever fills them with users that there are not pushes out their own. */
const bucketsMax = 20_000

/** A limiter whose buckets belong to accounts, on a clock that never goes back. */
export function ownedLimiter(rate: RateLimit, nowMs: () => number): OwnedLimiter {
  const buckets = fairCache<Bucket>(bucketsMax, () => 1)
  return (account) =>
    openRateLimiter(rate, nowMs, {
      get: (key) => buckets.get(account, key),
      set: (key, bucket) => buckets.set(account, key, bucket),
    })
}
