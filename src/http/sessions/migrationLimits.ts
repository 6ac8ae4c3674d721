/** How often legacy sessions may be presented. Each instance counts for itself, and forgets when it is restarted. */

import { hash } from 'node:crypto'
import { Failure } from '../../domain/failure.ts'
import { fairCache } from '../../domain/fairCache.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import {
  type Bucket,
  openRateLimiter,
  type RateLimit,
  type RateLimiter,
} from '../middleware/rateLimiter.ts'

export const migrationRates = {
  /** From one address: people behind the same one share it. */
  address: { burst: 30, perSecond: 1 },
  /** With one token: a retry after a lost answer, and little more. */
  token: { burst: 5, perSecond: 1 / 60 },
  /** To one application, whose customer is asked each time. */
  app: { burst: 200, perSecond: 50 },
} as const satisfies Record<string, RateLimit>

/** Buckets of one kind. */
const bucketsMax = 20_000

/** Somebody who presents a token on the host of an application. */
export interface Presenter {
  readonly app: ServedApp
  readonly address: string
}

interface MigrationLimits {
  /** Throws `rate_limited` for one too many: who asks too much takes nothing from what the application has for others. */
  readonly take: (presenter: Presenter, token: string) => void
}

/** Opens the limits of one process, with a clock that never goes back. */
export function openMigrationLimits(nowMs: () => number): MigrationLimits {
  const addresses = ownedLimiter(migrationRates.address, nowMs)
  const tokens = ownedLimiter(migrationRates.token, nowMs)
  const apps = ownedLimiter(migrationRates.app, nowMs)
  return {
    take: ({ app: { account, appId }, address }, token) => {
      assertAllowed(addresses(account), `${appId} ${address}`)
      assertAllowed(tokens(account), hash('sha256', `${appId} ${token}`, 'base64'))
      assertAllowed(apps(account), appId)
    },
  }
}

function assertAllowed(limiter: RateLimiter, key: string): void {
  const { allowed, waitSeconds } = limiter.take(key)
  if (allowed) return
  throw new Failure('rate_limited', 'Too many sessions were presented; try again later.', {
    retryAfterSeconds: waitSeconds,
  })
}

/** A limiter whose buckets belong to accounts. */
function ownedLimiter(rate: RateLimit, nowMs: () => number): (account: string) => RateLimiter {
  const buckets = fairCache<Bucket>(bucketsMax, () => 1)
  return (account) =>
    openRateLimiter(rate, nowMs, {
      get: (key) => buckets.get(account, key),
      set: (key, bucket) => buckets.set(account, key, bucket),
    })
}
