/** Limits requests by API token, and wrong tokens by address (429); takes from token buckets. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import { type AccountCache, openAccountCache } from '../../domain/load/weighedCache.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import { readClientNetwork, type TrustedProxies } from '../request/clientConnection.ts'
import type { Context } from '../request/requestContext.ts'

/** A bucket to take one request from. */
export interface RateBucket {
  readonly rate: RateLimit
  /** What the request takes of what the bucket holds; one unless given. */
  readonly cost?: number
  /** What is counted; kinds have separate buckets. */
  readonly kind: string
  /** Of whom. */
  readonly key: string
}

/** Buckets of one kind for several rates: the key to count by for each, in the order in which they are taken from. */
export function buildBuckets<Name extends string>(
  kind: string,
  rates: Readonly<Record<Name, RateLimit>>,
  keys: Readonly<Partial<Record<Name, string>>>,
): readonly RateBucket[] {
  return (Object.entries(keys) as [Name, string][]).map(([name, key]) => ({
    rate: rates[name],
    kind: `${kind} ${name}`,
    key,
  }))
}

export interface TokenBuckets {
  /**
   * Takes one request from each of these buckets in order (at least one), and stops at the first empty one, so that a
   * refused request takes nothing from later buckets. Returns the state of the last bucket asked. `owner` is the
   * account, whose own buckets are evicted first; empty for buckets without an account.
   */
  readonly take: (owner: string, buckets: readonly RateBucket[]) => BucketLevel
}

/** Buckets kept of each kind, half of them of one owner. One that was evicted starts full, as after an idle period. */
const bucketsMaxDefault = 40_000

interface Bucket {
  content: number
  /** When it held that. */
  atMs: number
}

/** Counts in the memory of this process, and starts anew after a restart. `nowMs` is a monotonic clock. */
export function openTokenBuckets(
  nowMs: () => number,
  bucketsMax = bucketsMaxDefault,
): TokenBuckets {
  const kinds = new Map<string, AccountCache<Bucket>>()

  const filled = (owner: string, { rate: { perSecond, burst }, kind, key }: RateBucket): Bucket => {
    const cache = kinds.get(kind) ?? openAccountCache<Bucket>(bucketsMax, () => 1)
    kinds.set(kind, cache)
    const now = nowMs()
    const bucket = cache.get(owner, key)
    if (!bucket) {
      const full = { content: burst, atMs: now }
      cache.set(owner, key, full)
      return full
    }
    const gained = ((now - bucket.atMs) / 1_000) * perSecond
    bucket.content = Math.min(burst, bucket.content + gained)
    bucket.atMs = now
    return bucket
  }

  const takeOne = (owner: string, one: RateBucket): BucketLevel => {
    const { cost = 1, rate } = one
    const bucket = filled(owner, one)
    const allowed = bucket.content >= cost
    if (allowed) bucket.content -= cost
    const remaining = Math.floor(bucket.content)
    const next = allowed ? remaining + 1 : Math.max(remaining + 1, cost)
    const waitSeconds = Math.max(1, Math.ceil((next - bucket.content) / rate.perSecond))
    return { allowed, remaining, waitSeconds }
  }

  return {
    take: (owner, buckets) => {
      let level: BucketLevel | undefined
      for (const bucket of buckets) {
        level = takeOne(owner, bucket)
        if (!level.allowed) break
      }
      if (!level) throw new Error('a rate without a bucket')
      return level
    },
  }
}

/** What is counted, of whom, and what a caller of one request too many is told. */
interface Counted {
  /** The account, where the buckets have one. */
  readonly owner?: string
  readonly buckets: readonly RateBucket[]
  readonly message: string
  readonly meter?: { readonly countRefusal: (reason: 'rate_limited') => void }
  /** Seconds to wait beside those until the bucket holds one more. */
  readonly moreSeconds?: number
}

/** Counts one request. Throws `rate_limited` for one too many. */
export function enforceRateLimits(
  rates: TokenBuckets,
  { owner = '', buckets, message, meter, moreSeconds = 0 }: Counted,
): void {
  const { allowed, waitSeconds } = rates.take(owner, buckets)
  if (allowed) return
  meter?.countRefusal('rate_limited')
  throw new Failure('rate_limited', message, { retryAfterSeconds: waitSeconds + moreSeconds })
}

export interface RateLimit {
  readonly perSecond: number
  /** The capacity of a bucket: requests that an idle caller may do at once. */
  readonly burst: number
}

interface BucketLevel {
  readonly allowed: boolean
  /** Requests that it may do now. */
  readonly remaining: number
  /** Whole seconds, at least one, until it may do one more than that. */
  readonly waitSeconds: number
}

/**
 * Returns what counts a request of a token, once that is known; without a rate none is limited. It throws
 * `rate_limited` for one too many. The operator and front ends are not limited here; see `frontEndRoutes.ts`. Header
 * fields as in draft-ietf-httpapi-ratelimit-headers-11.
 */
export function limitRates(
  rates: TokenBuckets,
  rate: RateLimit | undefined,
  meter: Metrics['requests'],
) {
  return function countRequest({ state: { principal }, res }: Context): void {
    if (!rate || principal?.kind !== 'account') return
    const bucket = { rate, kind: 'token', key: principal.tokenId }
    const { allowed, remaining, waitSeconds } = rates.take('', [bucket])
    const { perSecond, burst } = rate
    res.setHeader('RateLimit-Policy', `"token";q=${burst};w=${Math.ceil(burst / perSecond)}`)
    res.setHeader('RateLimit', `"token";r=${remaining};t=${waitSeconds}`)
    if (allowed) return
    meter.countRefusal('rate_limited')
    const message = 'The token has done too many requests; try again later.'
    throw new Failure('rate_limited', message, { retryAfterSeconds: waitSeconds })
  }
}

/** Of one address: people and services behind the same one share it. */
export const wrongTokenRate: RateLimit = { burst: 30, perSecond: 1 }

/**
 * Counts wrong tokens of every kind by the address they come from: one too many is answered `rate_limited`. Right ones
 * are never counted nor refused for it: otherwise one client with a wrong token would lock out all others behind its
 * proxy.
 */
export function limitWrongTokens(rates: TokenBuckets, proxies: TrustedProxies) {
  return async function countWrongTokens({ req, service }: Context, next: Next): Promise<void> {
    try {
      await next()
    } catch (error) {
      if (!(error instanceof Failure && error.isWrongToken)) throw error
      const key = readClientNetwork(req, proxies)
      enforceRateLimits(rates, {
        buckets: [{ rate: wrongTokenRate, kind: 'wrong token', key }],
        message: 'Too many wrong tokens from this address; try again later.',
        meter: service.context.metrics.requests,
      })
      throw error
    }
  }
}
