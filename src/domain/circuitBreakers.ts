/** Circuit breakers: who fails again and again is left alone for a while, then asked once, and asked as before when that went well. */

import { lru } from './lru.ts'

/** Failures in a row after which somebody is left alone. */
const failuresMax = 5
/** For how long, at first and at most; it doubles with every try that fails. */
const firstPauseMs = 5_000
const longestPauseMs = 60_000
/** How many are remembered: of those forgotten nothing is known, as of new ones. */
const rememberedMax = 10_000

export interface CircuitBreakers {
  /** Whether this one may be asked now; a try after a pause is given to one caller alone, who says how it went. */
  readonly mayAsk: (key: string, nowMs: number) => boolean
  /** Milliseconds until it may be asked again. */
  readonly pauseMs: (key: string, nowMs: number) => number
  readonly succeeded: (key: string) => void
  readonly failed: (key: string, nowMs: number) => void
}

interface Circuit {
  readonly failures: number
  /** Until then nobody asks. */
  readonly closedUntilMs: number
}

/** Breakers of this process, by key. */
export function circuitBreakers(): CircuitBreakers {
  const circuits = lru<string, Circuit>(rememberedMax)
  return {
    mayAsk: (key, nowMs) => {
      const circuit = circuits.get(key)
      if (!circuit || circuit.failures < failuresMax) return true
      if (nowMs < circuit.closedUntilMs) return false
      // whoever comes while it is tried waits as if it had failed
      circuits.set(key, { ...circuit, closedUntilMs: nowMs + pauseAfter(circuit.failures) })
      return true
    },
    pauseMs: (key, nowMs) => Math.max(0, (circuits.get(key)?.closedUntilMs ?? 0) - nowMs),
    succeeded: circuits.delete,
    failed: (key, nowMs) => {
      const failures = (circuits.get(key)?.failures ?? 0) + 1
      circuits.set(key, { failures, closedUntilMs: nowMs + pauseAfter(failures) })
    },
  }
}

function pauseAfter(failures: number): number {
  if (failures < failuresMax) return 0
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - failuresMax))
}
