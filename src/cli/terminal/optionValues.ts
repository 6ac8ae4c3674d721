/** Declares options by the form of their values and parses them: choices, pairs, numbers, times. */

import { InvalidArgumentError } from 'commander'
import { isoTime as isoOf } from '../../domain/text/isoTime.ts'
import { nearestName } from '../../domain/text/nearestName.ts'
import { parseIsoTimeMs } from '../../engine/language/values/time.ts'

export function parseChoice<Word extends string>(words: readonly Word[]) {
  return (given: string): Word => {
    const word = words.find((known) => known === given)
    if (word === undefined) throw createUnknownWordError(given, words)
    return word
  }
}

/** Collects `--scope a --scope b,c`; each value must be one of the words. */
export function collectChoices<Word extends string>(words: readonly Word[]) {
  return (given: string, before: readonly Word[] = []): readonly Word[] => {
    const found = given.split(',').map((text) => parseChoice(words)(text.trim()))
    return [...new Set([...before, ...found])]
  }
}

function createUnknownWordError(given: string, words: readonly string[]): InvalidArgumentError {
  const meant = nearestName(given, words)
  const guess = meant === undefined ? '' : ` Did you mean ${meant}?`
  return new InvalidArgumentError(`Must be of: ${words.join(', ')}.${guess}`)
}

/** The formats of import and export files. */
export const fileFormats = ['ndjson', 'csv'] as const
export type FileFormat = (typeof fileFormats)[number]

export const formatOption = {
  '--format <format>': {
    description: 'the format of the file; by default csv for a name that ends in .csv, else ndjson',
    choices: fileFormats,
  },
} as const

/** The format that was given, else that of the file's name. */
export function chooseFormat(file: string, given: FileFormat | undefined): FileFormat {
  return given ?? (file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson')
}

export type ValuesByName = Readonly<Record<string, string>>

/** An option such as `--ext a=b --ext c=d`, the last value of a name. */
export const pairsOption = (description: string) => ({
  description: `${description}; may be repeated`,
  parse: (given: string, before: ValuesByName = {}): ValuesByName => {
    const [name, value] = parsePair(given)
    return { ...before, [name]: value }
  },
})

export type Pair = readonly [name: string, value: string]

/** Collects `--id a=b --id a=c`, also several of one name. */
export function collectPairList(given: string, before: readonly Pair[] = []): readonly Pair[] {
  return [...before, parsePair(given)]
}

function parsePair(given: string): Pair {
  const at = given.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Must be name=value.')
  return [given.slice(0, at), given.slice(at + 1)]
}

/** Collects texts; `none` alone stands for an empty list. */
export function collectStrings(given: string, before?: readonly string[]): readonly string[] {
  return collectParsed(given, before, (text) => text)
}

/** Same of what the texts say. */
export function collectParsed<Item>(
  given: string,
  before: readonly Item[] | undefined,
  parse: (text: string) => Item,
): readonly Item[] {
  if (before && (given === 'none' || before.length === 0)) {
    throw new InvalidArgumentError('none is an empty list, and stands alone.')
  }
  return given === 'none' ? [] : [...(before ?? []), parse(given)]
}

/** An option that is `on` or `off`. */
export const onOffOption = (description: string) => ({
  description,
  parse: (given: string): boolean => {
    if (given === 'on' || given === 'off') return given === 'on'
    throw new InvalidArgumentError('Must be on or off.')
  },
})

/** Parses a whole number within these bounds. */
export function integerParser(min: number, max: number) {
  return (given: string): number => {
    const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`)
  }
}

/** An option that is a whole number from 1 on, unless another minimum or a maximum is given. */
export const integerOption = (description: string, min = 1, max = Number.MAX_SAFE_INTEGER) => ({
  description,
  parse: integerParser(min, max),
})

export const positionOption = (description: string) => integerOption(description, 0)

const timeForm = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/

/** A time in ISO 8601 as the API takes it: seconds that are left out are 0, and the zone is UTC. */
export function completeTime(given: string): string | undefined {
  const [, day, time, seconds = ':00', zone = 'Z'] = timeForm.exec(given) ?? []
  const complete = `${day}T${time}${seconds}${zone}`
  return parseIsoTimeMs(complete) === undefined ? undefined : complete
}

/** Parses a time in ISO 8601; UTC unless it has a zone. */
export function parseIsoTime(given: string): string {
  const time = completeTime(given)
  if (time !== undefined) return time
  throw new InvalidArgumentError('Must be a time, as in 2026-11-21T07:30 (UTC) or with a zone.')
}

/** A parsed time, which gives ISO 8601 relative to now. */
export type ResolveTime = (nowMs: number) => string

export const timeFormats =
  '2026-11-23T07:30 (UTC, or with a zone), 2026-11-23, now, yesterday, monday, 90m, 12h, 7d'
const minuteMs = 60_000
const unitsMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** Parses a time, a day or the last weekday (midnight UTC), or a duration before now. */
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
  const time = completeTime(given) ?? completeTime(`${given}T00:00Z`)
  if (time !== undefined) return () => time
  throw new InvalidArgumentError(`Must be a time as one of: ${timeFormats}.`)
}

/** An option that is a time in any of these formats. */
export const timeOption = (description: string) => ({ description, parse: parseTime })

export const timeOrPositionOption = (description: string) => ({
  description,
  parse: (given: string): ResolveTime =>
    /^\d{1,16}$/.test(given) ? () => given : parseTime(given),
})

export const timeOrPositionFormats = `a position of the log, or ${timeFormats}`
