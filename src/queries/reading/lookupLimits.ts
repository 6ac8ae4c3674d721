/** Limits lookups in the log for unknown ids, however often they are asked for. */

import { LRUCache } from 'lru-cache'
import type { Clock } from '../../domain/clock.ts'
import { Failure } from '../../domain/failure.ts'

/** For how long what was looked for in vain is not looked for again. */
const missedMs = 500
/** Keys remembered as missed; one that was forgotten is looked for again. */
const missesMax = 10_000
/** Looks into the log at a time, and those that may wait for their turn. */
const atOnceMax = 16
const waitingMax = 1_000

export interface LookupBounds {
  /** What they are called in a refusal. */
  readonly called: string
  /** Looks into the log in a second. */
  readonly perSecondMax: number
}

/**
 * The result of a lookup; undefined when there was none a moment ago. Throws `unavailable` when too many are under way, and what the
 * lookup throws.
 */
export type LimitedLookup = <Value>(
  key: string,
  look: () => Promise<Value | undefined>,
) => Promise<Value | undefined>

/**
 * Bounds the lookups of unknown ids, at a time and in a second.
 */
export function openLookupLimits(
  clock: Clock,
  { called, perSecondMax }: LookupBounds,
): LimitedLookup {
  const tooMany = (): Failure =>
    new Failure('unavailable', `Too many unknown ${called} are being looked for; try again.`, {
      retryAfterSeconds: 1,
    })
  const missedAtMs = new LRUCache<string, number>({ max: missesMax })
  const run = openLane(tooMany)
  const isWithinRate = openRate(clock, perSecondMax)

  return async (key, look) => {
    const beforeMs = missedAtMs.get(key)
    if (beforeMs !== undefined && Math.abs(clock.nowMs() - beforeMs) < missedMs) return undefined
    if (!isWithinRate()) throw tooMany()
    const found = await run(look)
    if (found === undefined) missedAtMs.set(key, clock.nowMs())
    return found
  }
}

/** Whether one more may be done in this second. */
function openRate({ nowMs }: Clock, perSecondMax: number): () => boolean {
  let second = 0
  let done = 0
  return () => {
    const now = Math.floor(nowMs() / 1_000)
    if (now !== second) {
      second = now
      done = 0
    }
    done += 1
    return done <= perSecondMax
  }
}

/** Works a few at a time; the others wait, not more than so many. */
function openLane(tooMany: () => Failure): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= atOnceMax) {
      if (waiting.length >= waitingMax) throw tooMany()
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
