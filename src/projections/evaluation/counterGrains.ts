/** Folds what is counted into grains of time or values last seen, and answers windows. */

/*
 * A time is a number of units of ten seconds. An event stands in one grain, whose size grows as it ages: a window is
 * cut at the grain that its events are in by then, so all windows are answered from the same grains. What is kept
 * depends on the events of the key alone, never on when or in which batches they were folded.
 */

import { type CounterWindow, counterWindowsMs } from '../../engine/language/counters.ts'
import type { WarmedEntry } from '../../events/evaluation/counterWarmUp.ts'

/** By `buildCounterId`. */
export interface CounterDocument {
  /** When its last event was recorded, in units. */
  readonly newest: number
  /** When nothing of it counts any more, in milliseconds since the Unix epoch: see `findEnd`. */
  readonly ends_at: number
  /** Of numbers: see `formatGrains`. */
  readonly grains?: string
  /** Of values told apart: see `addValue`. */
  readonly values?: string
}

/** What one event adds. */
export interface Counted {
  /** When it was recorded, in milliseconds since the Unix epoch. */
  readonly recordedMs: number
  /** When each happened, in units, and what is counted as in a `Tally`; of all of them one kind. */
  readonly entries: WarmedEntry[2]
}

const unitMs = 10_000
const dayMs = 24 * 60 * 60 * 1_000
/** Longer than any window with the grain in which it begins. */
export const countedKeptMs = 31 * dayMs
/** Clocks of instances may differ by so much: a reader that late finds all of its window. */
const skew = (5 * 60 * 1_000) / unitMs

/** Windows in units, the shortest first, each with the size of the grains that it is cut at. */
const levels = [
  { window: '10m', grain: 1 },
  { window: '1h', grain: 6 },
  { window: '24h', grain: 180 },
  { window: '7d', grain: 1_080 },
  { window: '30d', grain: 4_320 },
].map(({ window, grain }) => ({
  grain,
  length: counterWindowsMs[window as CounterWindow] / unitMs,
}))
const longest = { grain: 4_320, length: counterWindowsMs['30d'] / unitMs }

/** Sums at or beyond this are not exact, and answered by nobody. */
const sumMax = 2 ** 53

/** Values that are told apart; one more is kept to know that there are more. */
export const valuesMax = 255

/** The document after one more event, in whichever order its entries are. */
export function addCounted(
  before: CounterDocument | undefined,
  { recordedMs, entries }: Counted,
): CounterDocument {
  const newest = Math.max(before?.newest ?? 0, toUnits(recordedMs))
  const ends_at = findEnd(before, recordedMs)
  if (typeof entries[0]?.[1] === 'string') {
    return { newest, ends_at, values: addValues(before?.values, { newest, entries }) }
  }
  const added = entries.map(
    ([start, counted]): Grain =>
      typeof counted === 'number'
        ? { start, sum: clampSum(counted), leftOut: 0 }
        : { start, sum: 0, leftOut: 1 },
  )
  // most events are the latest, and what is in order already is soon sorted
  const grains = [...parseGrains(before?.grains), ...added].sort((a, b) => a.start - b.start)
  return { newest, ends_at, grains: formatGrains(ageGrains(grains, newest)) }
}

/** At the time of day at which it began: the ends of new documents rise, side by side in their index. */
function findEnd(before: CounterDocument | undefined, recordedMs: number): number {
  const least = recordedMs + countedKeptMs
  const end = before && before.ends_at > recordedMs ? before.ends_at : least
  return end + Math.max(0, Math.ceil((least - end) / dayMs)) * dayMs
}

/** What a window comes to. */
interface WindowCount {
  /** Of values told apart at most 256, which means more than 255. */
  readonly value: number
  /** Texts that a sum has left out. */
  readonly leftOut: number
}

/** Why a window is not answered: its sum is beyond the exact integers, or events are five minutes later. */
type UncountedWindow = 'too_large' | 'too_early'

/** What the window before a time holds: everything from its start on, however late. */
export function countWindow(
  document: CounterDocument | undefined,
  window: CounterWindow,
  timeMs: number,
): WindowCount | UncountedWindow {
  if (!document) return { value: 0, leftOut: 0 }
  if (toUnits(timeMs) < document.newest - skew) return 'too_early'
  const start = findWindowStart(window, timeMs) / unitMs
  if (document.values !== undefined) {
    const from = findSeen(document.values, formatUnit(start))
    return { value: (document.values.length - from) / seenChars, leftOut: 0 }
  }
  let value = 0
  let leftOut = 0
  for (const grain of parseGrains(document.grains)) {
    if (grain.start < start) continue
    value = addSums(value, grain.sum)
    leftOut += grain.leftOut
  }
  return Math.abs(value) < sumMax ? { value, leftOut } : 'too_large'
}

/** From when on events count, in milliseconds since the Unix epoch: where the first grain of the window begins. */
export function findWindowStart(window: CounterWindow, timeMs: number): number {
  const length = counterWindowsMs[window] / unitMs
  const { grain } = levels.find((one) => one.length === length) ?? longest
  return floorTo(grain, toUnits(timeMs) - length) * unitMs
}

/** The unit of a time in milliseconds since the Unix epoch. */
export function toUnits(timeMs: number): number {
  return Math.floor(timeMs / unitMs)
}

function floorTo(grain: number, unit: number): number {
  return Math.floor(unit / grain) * grain
}

interface Grain {
  /** In units. */
  readonly start: number
  readonly sum: number
  readonly leftOut: number
}

/**
 * Each event in the grain of its age; what no window has any more is left out. A grain becomes larger once no window
 * that is cut finer has it, by a clock that is five minutes late either.
 */
function ageGrains(grains: readonly Grain[], newest: number): readonly Grain[] {
  const aged: Grain[] = []
  for (const { start: unit, sum, leftOut } of grains) {
    const age = levels.find((level) => unit >= findOldest(level, newest))
    if (!age) continue
    const start = floorTo(age.grain, unit)
    const last = aged.at(-1)?.start === start ? aged.pop() : undefined
    const both = addSums(last?.sum ?? 0, sum)
    aged.push({ start, sum: both, leftOut: leftOut + (last?.leftOut ?? 0) })
  }
  return aged
}

function findOldest({ grain, length }: (typeof levels)[number], newest: number): number {
  return floorTo(grain, newest - length - skew)
}

/** What is beyond the exact integers stays there, whatever is added: it is not known how far. */
function addSums(one: number, other: number): number {
  if (Math.abs(one) >= sumMax) return one
  return Math.abs(other) >= sumMax ? other : clampSum(one + other)
}

function clampSum(sum: number): number {
  return Math.max(-sumMax, Math.min(sumMax, sum))
}

/** Grains in base 36: how much later than the one before, the sum, and what was left out if anything was. */
function formatGrains(grains: readonly Grain[]): string {
  let last = 0
  let text = ''
  for (const { start, sum, leftOut } of grains) {
    text += `${text === '' ? '' : ' '}${(start - last).toString(36)}:${sum.toString(36)}`
    if (leftOut > 0) text += `:${leftOut.toString(36)}`
    last = start
  }
  return text
}

/** `parseInt` ends before a colon. */
function parseGrains(text = ''): Grain[] {
  const grains: Grain[] = []
  let start = 0
  for (const one of text === '' ? [] : text.split(' ')) {
    const sumAt = one.indexOf(':') + 1
    const leftOutAt = one.indexOf(':', sumAt) + 1
    start += parseInt(one, 36)
    const leftOut = leftOutAt === 0 ? 0 : parseInt(one.slice(leftOutAt), 36)
    grains.push({ start, sum: parseInt(one.slice(sumAt), 36), leftOut })
  }
  return grains
}

/** Of a value: the unit when it was seen last, to base 36, before its keyed digest. */
const unitChars = 6
const valueChars = 8
const seenChars = unitChars + valueChars

/** Values joined, those seen last at the end: at most 256, of which the ones seen first are left out. */
function addValues(
  text: string | undefined,
  { newest, entries }: Pick<CounterDocument, 'newest'> & Pick<Counted, 'entries'>,
): string {
  let seen = text ?? ''
  for (const [unit, value] of entries) seen = addValue(seen, `${formatUnit(unit)}${value}`)
  return seen.slice(findSeen(seen, formatUnit(findOldest(longest, newest))))
}

/** As text throughout: taking a full one apart costs ten times as much as this. */
function addValue(text: string, one: string): string {
  const value = one.slice(unitChars)
  let at = text.indexOf(value, unitChars)
  while (at >= 0 && at % seenChars !== unitChars) at = text.indexOf(value, at + 1)
  const before = at - unitChars
  if (at >= 0 && text.slice(before, before + seenChars) >= one) return text
  const others = at < 0 ? text : text.slice(0, before) + text.slice(before + seenChars)
  const to = findSeen(others, one)
  return (others.slice(0, to) + one + others.slice(to)).slice(-(valuesMax + 1) * seenChars)
}

/** Texts of equal length are in the order of their units. */
function formatUnit(unit: number): string {
  return unit.toString(36).padStart(unitChars, '0')
}

/** Where the values begin that are not before this one, or this unit. */
function findSeen(text: string, one: string): number {
  let [from, to] = [0, text.length / seenChars]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (text.slice(middle * seenChars, (middle + 1) * seenChars) < one) from = middle + 1
    else to = middle
  }
  return from * seenChars
}
