/** The rates that callers are kept to. */

import { type AccountCache, accountCache } from '../../domain/accountCache.ts'
import { type Bucket, openRateLimiter, type RateLimit, type Standing } from './rateLimiter.ts'

/** A bucket to take one request from. */
export interface RateBucket {
  readonly rate: RateLimit
  /** What the request takes of what the bucket holds; one unless given. */
  readonly cost?: number
  /** What is counted; buckets of several kinds never meet. */
  readonly kind: string
  /** Of whom. */
  readonly key: string
}

export interface Rates {
  /**
   * Takes one request from each of these buckets in turn, of which there is at least one, up to the first that is empty: whoever is
   * refused takes nothing from what stands after. How the last one asked stands. `owner` is the account they belong to: whoever fills the memory pushes out their own; empty for what is no account's.
   */
  readonly take: (owner: string, buckets: readonly RateBucket[]) => Promise<Standing>
}

/** Buckets kept of each kind, half of them of one owner. */
const bucketsMax = 40_000

/** Counts in the memory of this process, which forgets when it is restarted, with a clock that never goes back. */
export function openRates(nowMs: () => number): Rates {
  const kinds = new Map<string, AccountCache<Bucket>>()
  const cacheOf = (kind: string): AccountCache<Bucket> => {
    const known = kinds.get(kind) ?? accountCache<Bucket>(bucketsMax, () => 1)
    kinds.set(kind, known)
    return known
  }
  const takeOne = (owner: string, { rate, cost, kind, key }: RateBucket): Standing => {
    const cache = cacheOf(kind)
    const own = {
      get: (name: string) => cache.get(owner, name),
      set: (name: string, bucket: Bucket) => cache.set(owner, name, bucket),
    }
    return openRateLimiter(rate, nowMs, own).take(key, cost)
  }
  return {
    take: async (owner, buckets) => {
      let standing: Standing | undefined
      for (const bucket of buckets) {
        standing = takeOne(owner, bucket)
        if (!standing.allowed) break
      }
      if (!standing) throw new Error('a rate without a bucket')
      return standing
    },
  }
}
