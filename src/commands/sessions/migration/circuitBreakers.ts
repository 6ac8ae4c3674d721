/** Pauses calls to URLs that keep failing (circuit breakers, in memory). */

import { LRUCache } from 'lru-cache'

/** Failures in a row after which a URL is not called for a while. */
const failuresMax = 5
/** The first pause and the longest; it doubles with every failure after a pause. */
const firstPauseMs = 5_000
const longestPauseMs = 60_000
/** How many URLs are remembered; a forgotten one is called like a new one. */
const rememberedMax = 10_000

export interface CircuitBreakers {
  /** Milliseconds until the URL of this key may be called again; 0 when it may be called now. */
  readonly pauseMs: (key: string, nowMs: number) => number
  readonly recordSuccess: (key: string) => void
  readonly recordFailure: (key: string, nowMs: number) => void
}

interface Circuit {
  readonly failures: number
  /** Not called before then. */
  readonly openUntilMs: number
}

/** Breakers of this process, by key. */
export function openCircuitBreakers(): CircuitBreakers {
  const circuits = new LRUCache<string, Circuit>({ max: rememberedMax })
  const pauseMs = (key: string, nowMs: number): number =>
    Math.max(0, (circuits.get(key)?.openUntilMs ?? 0) - nowMs)
  return {
    pauseMs,
    recordSuccess: (key) => circuits.delete(key),
    recordFailure: (key, nowMs) => {
      // calls that were under way when the pause began say nothing new
      if (pauseMs(key, nowMs) > 0) return
      const failures = (circuits.get(key)?.failures ?? 0) + 1
      circuits.set(key, { failures, openUntilMs: nowMs + pauseAfter(failures) })
    },
  }
}

function pauseAfter(failures: number): number {
  if (failures < failuresMax) return 0
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - failuresMax))
}
