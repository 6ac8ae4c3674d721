/** Pauses calls to URLs that keep failing (circuit breakers, in memory). */

import { LRUCache } from 'lru-cache'

/** Failures in a row after which a URL is not called for a while. */
const failuresMax = 5
/** For how long, at first and at most; it doubles with every try that fails. */
const firstPauseMs = 5_000
const longestPauseMs = 60_000
/** How many are remembered: of those forgotten nothing is known, as of new ones. */
const rememberedMax = 10_000

export interface CircuitBreakers {
  /** Leave to ask this one, undefined while it is paused; after a pause it is given to one caller alone. */
  readonly attempt: (key: string, nowMs: number) => Attempt | undefined
  /** Milliseconds until it may be asked again. */
  readonly pauseMs: (key: string, nowMs: number) => number
}

/** Says how it went. */
interface Attempt {
  readonly succeeded: () => void
  /** It says nothing of whether others will be answered: what was counted stays, and the next caller may try. */
  readonly inconclusive: () => void
  readonly failed: (nowMs: number) => void
}

interface Circuit {
  readonly failures: number
  /** Not asked before then. */
  readonly openUntilMs: number
}

/** Breakers of this process, by key. */
export function circuitBreakers(): CircuitBreakers {
  const circuits = new LRUCache<string, Circuit>({ max: rememberedMax })
  const fail = (key: string, isTrial: boolean, nowMs: number): void => {
    const known = circuits.get(key)?.failures ?? 0
    // those that were under way when the pause began say nothing new: only a try doubles it
    if (known >= failuresMax && !isTrial) return
    circuits.set(key, { failures: known + 1, openUntilMs: nowMs + pauseAfter(known + 1) })
  }
  return {
    attempt: (key, nowMs) => {
      const circuit = circuits.get(key)
      const isTrial = circuit !== undefined && circuit.failures >= failuresMax
      if (isTrial) {
        if (nowMs < circuit.openUntilMs) return undefined
        // a caller that comes while it is tried waits as if it had failed
        circuits.set(key, { ...circuit, openUntilMs: nowMs + pauseAfter(circuit.failures) })
      }
      return {
        succeeded: () => circuits.delete(key),
        inconclusive: () => {
          if (isTrial) circuits.set(key, { ...circuit, openUntilMs: 0 })
        },
        failed: (failedMs) => fail(key, isTrial, failedMs),
      }
    },
    pauseMs: (key, nowMs) => Math.max(0, (circuits.get(key)?.openUntilMs ?? 0) - nowMs),
  }
}

function pauseAfter(failures: number): number {
  if (failures < failuresMax) return 0
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - failuresMax))
}
