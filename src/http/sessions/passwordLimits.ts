/** How often passwords may be changed and asked about. */

import { Failure } from '../../domain/failure.ts'
import { networkOf } from '../../domain/ipAddress.ts'
import type { PasswordMeter } from '../../metrics/passwordMeter.ts'
import type { UserPlace } from '../../service/sessions/usersPart.ts'
import type { RateLimit } from '../middleware/rateLimiter.ts'
import type { RateBucket, Rates } from '../middleware/rates.ts'

/** Once so many were used, one more in each while. */
export const passwordRates = {
  /** Of one user, by whoever asks without saying for which client: right ones and wrong ones. */
  check: { burst: 10, perSecond: 1 / 60 },
  /** Of one client of an application, and of one user by all clients. */
  client: { burst: 10, perSecond: 10 / 60 },
  clients: { burst: 100, perSecond: 100 / 3_600 },
  /** In one session, and of one user in all sessions. */
  session: { burst: 5, perSecond: 1 / 60 },
  user: { burst: 10, perSecond: 1 / 30 },
} as const satisfies Record<string, RateLimit>

/** Each rejects `rate_limited` for one too many, and like `Rates`. */
export interface PasswordLimits {
  readonly check: (user: UserPlace, client: string | undefined) => Promise<void>
  readonly change: (user: UserPlace, sessionId: string) => Promise<void>
}

export interface PasswordLimitsOptions {
  readonly rates: Rates
  readonly meter: Pick<PasswordMeter, 'refused'>
}

/** The limits of what these rates count. */
export function openPasswordLimits({ rates, meter }: PasswordLimitsOptions): PasswordLimits {
  const take = async (account: string, ...buckets: readonly RateBucket[]): Promise<void> => {
    const { allowed, waitSeconds } = await rates.take(account, buckets)
    if (allowed) return
    meter.refused('rate_limited')
    throw new Failure(
      'rate_limited',
      'Too many passwords of this user or client; try again later.',
      {
        retryAfterSeconds: waitSeconds,
      },
    )
  }
  return {
    check: (user, client) =>
      client === undefined
        ? take(user.account, bucketOf('check', keyOf(user)))
        : take(
            user.account,
            bucketOf('client', `${user.appId} ${networkOf(client)}`),
            bucketOf('clients', keyOf(user)),
          ),
    change: (user, sessionId) =>
      take(user.account, bucketOf('session', sessionId), bucketOf('user', keyOf(user))),
  }
}

function bucketOf(limit: keyof typeof passwordRates, key: string): RateBucket {
  return { rate: passwordRates[limit], kind: `password ${limit}`, key }
}

function keyOf({ appId, userId }: UserPlace): string {
  return `${appId} ${userId}`
}
