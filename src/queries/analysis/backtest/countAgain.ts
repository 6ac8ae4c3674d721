/** Counts evaluations again, within bounds, to answer counters as of the past. */

import type { CounterWindow } from '../../../engine/language/counters.ts'
import type { Tally } from '../../../events/recording/tallies.ts'
import { findWindowStart, valuesMax } from '../../../projections/evaluation/counterGrains.ts'

/** Keys, and entries of all of them. */
const countedKeysMax = 100_000
const entriesMax = 1_000_000

/** What counts in one series under one key, by time. */
interface Entry {
  readonly at: number
  readonly timeMs: number
  readonly counted: Tally[2]
}

interface CountedEvaluation {
  readonly at: number
  readonly timeMs: number
  readonly tallies: readonly Tally[]
}

/** What is asked of a counter. */
interface Asked {
  readonly series: string
  readonly key: string
  readonly window: CounterWindow
  readonly asOf: CountedAsOf
}

/** What counts for an evaluation of the past. */
export interface CountedAsOf {
  /** The time of its rules, at which windows end. */
  readonly timeMs: number
  /** Events up to here count. */
  readonly position: number
  /** Those before this time count: of an imported evaluation its own, as positions do not tell what was before it. */
  readonly beforeMs: number
}

/** Counts in the order of time, mostly; answers nothing once it has had too many keys or entries. */
export function createRecount() {
  const entriesByKey = new Map<string, Entry[]>()
  let entries = 0
  let isFull = false
  return {
    add: ({ at, timeMs, tallies }: CountedEvaluation): void => {
      for (const [series, key, counted] of isFull ? [] : tallies) {
        const id = `${series} ${key}`
        const known = entriesByKey.get(id) ?? []
        entriesByKey.set(id, known)
        addByTime(known, { at, timeMs, counted })
        entries += 1
      }
      isFull ||= entries > entriesMax || entriesByKey.size > countedKeysMax
      if (isFull) entriesByKey.clear()
    },
    /** Undefined where it cannot be told. */
    answer: ({ series, key, window, asOf }: Asked): number | undefined => {
      if (isFull) return undefined
      const startMs = findWindowStart(window, asOf.timeMs)
      return countEntries(entriesByKey.get(`${series} ${key}`) ?? [], startMs, asOf)
    },
    isFull: () => isFull,
  }
}

function addByTime(entries: Entry[], entry: Entry): void {
  let index = entries.length
  while (index > 0 && (entries[index - 1] as Entry).timeMs > entry.timeMs) index -= 1
  entries.splice(index, 0, entry)
}

/** Of sums that are not exact nothing is to be known. */
function countEntries(
  entries: readonly Entry[],
  startMs: number,
  { position, beforeMs }: CountedAsOf,
): number | undefined {
  const from = entries.findLastIndex(({ timeMs }) => timeMs < startMs) + 1
  const seen = new Set<string>()
  let sum = 0
  for (let index = from; index < entries.length && seen.size <= valuesMax; index += 1) {
    const { at, timeMs, counted } = entries[index] as Entry
    if (at > position || timeMs >= beforeMs) continue
    if (typeof counted === 'string') seen.add(counted)
    else sum += counted ?? 0
    if (!Number.isSafeInteger(sum)) return undefined
  }
  return seen.size > 0 ? seen.size : sum
}
