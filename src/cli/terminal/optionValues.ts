/** Parses option values: choices, name=value pairs, numbers, times and log positions. */

import { InvalidArgumentError } from 'commander'
import { isoTime as isoOf } from '../../domain/text/isoTime.ts'
import { nearestName } from '../../domain/text/nearestName.ts'
import { parseIsoTimeMs } from '../../engine/language/values/time.ts'

/** Collects `--scope a --scope b,c`; each value must be one of the words. */
export function collectChoices<Word extends string>(words: readonly Word[]) {
  return (given: string, before: readonly Word[] = []): readonly Word[] => {
    const found = given.split(',').map((text) => {
      const word = words.find((known) => known === text.trim())
      if (word === undefined) throw unknownWord(text.trim(), words)
      return word
    })
    return [...new Set([...before, ...found])]
  }
}

function unknownWord(given: string, words: readonly string[]): InvalidArgumentError {
  const meant = nearestName(given, words)
  const guess = meant === undefined ? '' : ` Did you mean ${meant}?`
  return new InvalidArgumentError(`Must be of: ${words.join(', ')}.${guess}`)
}

/** The formats of import and export files. */
export const fileFormats = ['ndjson', 'csv'] as const
export type FileFormat = (typeof fileFormats)[number]

export type ValuesByName = Readonly<Record<string, string>>

/** Collects `--ext a=b --ext c=d`. */
export function collectPairsByName(given: string, before: ValuesByName = {}): ValuesByName {
  const [name, value] = pairOf(given)
  return { ...before, [name]: value }
}

export type Pair = readonly [name: string, value: string]

/** Collects `--id a=b --id a=c`, also several of one name. */
export function collectPairList(given: string, before: readonly Pair[] = []): readonly Pair[] {
  return [...before, pairOf(given)]
}

function pairOf(given: string): Pair {
  const at = given.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Must be name=value.')
  return [given.slice(0, at), given.slice(at + 1)]
}

/** Collects texts; `none` alone stands for an empty list. */
export function collectStrings(given: string, before: readonly string[] = []): readonly string[] {
  return given === 'none' ? [] : [...before, given]
}

/** `on` or `off`. */
export function parseOnOff(given: string): boolean {
  if (given === 'on') return true
  if (given === 'off') return false
  throw new InvalidArgumentError('Must be on or off.')
}

/** Parses a whole number within these bounds. */
export function integerParser(min: number, max: number) {
  return (given: string): number => {
    const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`)
  }
}

/** Parses a position of the log. */
export const parsePosition = integerParser(0, Number.MAX_SAFE_INTEGER)

/** Checks a time in ISO 8601 with a zone, and returns it unchanged. */
export function parseIsoTime(given: string): string {
  if (parseIsoTimeMs(given) !== undefined) return given
  throw new InvalidArgumentError('Must be a time with a zone, as in 2026-11-21T07:30:00Z.')
}

/** A parsed time, which gives ISO 8601 relative to now. */
export type ResolveTime = (nowMs: number) => string

export const timeFormatsHelp =
  '2026-11-23T07:30:00Z, 2026-11-23, now, yesterday, monday, 90m, 12h, 7d'
const minuteMs = 60_000
const unitsMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** Parses a time with a zone, a day or the last weekday (midnight UTC), or a duration before now. */
export function parseTime(given: string): ResolveTime {
  if (given === 'now') return isoOf
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(given) ?? []
  const agoMs = Number(count) * (unitsMs[unit] ?? 0)
  if (unit !== '') return (nowMs) => isoOf(nowMs - agoMs)
  const daysAgo = ['today', 'yesterday'].indexOf(given)
  const dayMs = unitsMs['d'] ?? 0
  if (daysAgo >= 0) return (nowMs) => isoOf(nowMs - (nowMs % dayMs) - daysAgo * dayMs)
  const weekday = weekdays.indexOf(given)
  if (weekday >= 0) {
    return (nowMs) => {
      const ago = (new Date(nowMs).getUTCDay() - weekday + weekdays.length) % weekdays.length
      return isoOf(nowMs - (nowMs % dayMs) - ago * dayMs)
    }
  }
  for (const text of [given, `${given}T00:00:00Z`]) {
    if (parseIsoTimeMs(text) !== undefined) return () => text
  }
  throw new InvalidArgumentError(`Must be a time as one of: ${timeFormatsHelp}.`)
}

/** Parses a position of the log, or a time as `parseTime` does. */
export function parseTimeOrPosition(given: string): ResolveTime {
  return /^\d{1,16}$/.test(given) ? () => given : parseTime(given)
}

export const timeOrPositionFormatsHelp = `a position of the log, or ${timeFormatsHelp}`
