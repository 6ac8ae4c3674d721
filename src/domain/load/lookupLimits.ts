/** Limits lookups of unknown ids in the log: per second, and by a cache of misses. */

import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import { unavailable } from '../failure.ts'

/** For how long what was looked for in vain is not looked for again. */
const missedMs = 500
/** Keys remembered as missed; one that was forgotten is looked for again. */
const missesMax = 10_000

export interface LookupLimits {
  /** What they are called in a refusal. */
  readonly pluralName: string
  /** Looks into the log in a second. */
  readonly perSecondMax: number
}

/**
 * The result of a lookup; undefined when there was none a moment ago. Throws `unavailable` when there were too many in
 * this second, and what the lookup throws.
 */
export type LimitedLookup = <Value>(
  key: string,
  look: () => Promise<Value | undefined>,
) => Promise<Value | undefined>

/** Bounds the lookups of unknown ids in a second. */
export function openLookupLimits(
  clock: Clock,
  { pluralName, perSecondMax }: LookupLimits,
): LimitedLookup {
  const missedAtMs = new LRUCache<string, number>({ max: missesMax })
  let second = 0
  let done = 0
  const isWithinRate = (): boolean => {
    const now = Math.floor(clock.nowMs() / 1_000)
    done = now === second ? done + 1 : 1
    second = now
    return done <= perSecondMax
  }

  return async (key, look) => {
    const beforeMs = missedAtMs.get(key)
    if (beforeMs !== undefined && Math.abs(clock.nowMs() - beforeMs) < missedMs) return undefined
    if (!isWithinRate()) {
      throw unavailable(`Too many unknown ${pluralName} are being looked up; try again.`)
    }
    const found = await look()
    if (found === undefined) missedAtMs.set(key, clock.nowMs())
    return found
  }
}
