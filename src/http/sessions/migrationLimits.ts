/** How often legacy sessions may be presented. Each instance counts for itself, and forgets when it is restarted. */

import { hash } from 'node:crypto'
import { Failure } from '../../domain/failure.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import type { RateLimit, RateLimiter } from '../middleware/rateLimiter.ts'
import { ownedLimiter } from './ownedLimiter.ts'

export const migrationRates = {
  /** From one address: people behind the same one share it. */
  address: { burst: 30, perSecond: 1 },
  /** With one token: a retry after a lost answer, and little more. */
  token: { burst: 5, perSecond: 1 / 60 },
  /** To one application, whose customer is asked each time. */
  app: { burst: 200, perSecond: 50 },
} as const satisfies Record<string, RateLimit>

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
