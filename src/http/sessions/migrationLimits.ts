/** How often legacy sessions may be presented. */

import { hash } from 'node:crypto'
import { Failure } from '../../domain/failure.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import type { RateLimit } from '../middleware/rateLimiter.ts'
import type { RateBucket, Rates } from '../middleware/rates.ts'

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
  /** Rejects `rate_limited` for one too many, and like `Rates`: who asks too much takes nothing from what the application has for others. */
  readonly take: (presenter: Presenter, token: string) => Promise<void>
}

/** The limits of what these rates count. */
export function openMigrationLimits(rates: Rates): MigrationLimits {
  return {
    take: async ({ app: { account, appId }, address }, token) => {
      const { allowed, waitSeconds } = await rates.take(account, [
        bucketOf('address', `${appId} ${address}`),
        bucketOf('token', hash('sha256', `${appId} ${token}`, 'base64')),
        bucketOf('app', appId),
      ])
      if (allowed) return
      throw new Failure('rate_limited', 'Too many sessions were presented; try again later.', {
        retryAfterSeconds: waitSeconds,
      })
    },
  }
}

function bucketOf(limit: keyof typeof migrationRates, key: string): RateBucket {
  return { rate: migrationRates[limit], kind: `migration ${limit}`, key }
}
