/** Buckets: every request takes one from the bucket of its key, which fills up again at a steady rate. */

export interface RateLimit {
  readonly perSecond: number
  /** What a bucket holds: requests that whoever has rested may do at once. */
  readonly burst: number
}

/** How one stands after a request. */
export interface Standing {
  readonly allowed: boolean
  /** Requests that it may do now. */
  readonly remaining: number
  /** Whole seconds, at least one, until it may do one more than that. */
  readonly waitSeconds: number
}

interface RateLimiter {
  /** Takes one request, or as much as one costs, from the bucket of this key, unless it holds less. */
  readonly take: (key: string, cost?: number) => Standing
}

export interface Bucket {
  content: number
  /** When it held that. */
  atMs: number
}

/** Where buckets are kept. */
export interface Buckets {
  readonly get: (key: string) => Bucket | undefined
  readonly set: (key: string, bucket: Bucket) => void
}

/** Opens the limiter with a clock that never goes back. A bucket that is asked for after it was dropped is full, as it would be after a rest. */
export function openRateLimiter(
  { perSecond, burst }: RateLimit,
  nowMs: () => number,
  buckets: Buckets,
): RateLimiter {
  const filled = (key: string): Bucket => {
    const now = nowMs()
    const bucket = buckets.get(key)
    if (!bucket) {
      const full = { content: burst, atMs: now }
      buckets.set(key, full)
      return full
    }
    const gained = ((now - bucket.atMs) / 1_000) * perSecond
    bucket.content = Math.min(burst, bucket.content + gained)
    bucket.atMs = now
    return bucket
  }

  return {
    take: (key, cost = 1) => {
      const bucket = filled(key)
      const allowed = bucket.content >= cost
      if (allowed) bucket.content -= cost
      const remaining = Math.floor(bucket.content)
      const next = allowed ? remaining + 1 : Math.max(remaining + 1, cost)
      const waitSeconds = Math.max(1, Math.ceil((next - bucket.content) / perSecond))
      return { allowed, remaining, waitSeconds }
    },
  }
}
