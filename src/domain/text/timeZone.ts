/** Reads time zones, cuts time into their hours and days, and writes times as they are there. */

/** A zone of the time zone database, or a fixed distance from UTC. */
export interface TimeZone {
  /** `Europe/Paris`, `UTC`, `+05:30`. */
  readonly name: string
  /** How far its clocks are ahead of UTC at a time. */
  readonly offsetMs: (timeMs: number) => number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const namesMax = 64

export const utc: TimeZone = { name: 'UTC', offsetMs: () => 0 }

/** The zone of the text; undefined for any other text. */
export function parseTimeZone(text: string): TimeZone | undefined {
  if (text === 'Z' || text === utc.name) return utc
  const fixedMs = parseOffset(text)
  if (fixedMs !== undefined) return { name: text, offsetMs: () => fixedMs }
  if (text.length > namesMax || !/^[A-Za-z]/.test(text)) return undefined
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: text, timeZoneName: 'longOffset' })
    return { name: text, offsetMs: (timeMs) => readOffset(format, timeMs) }
  } catch {
    return undefined
  }
}

/** Of `GMT`, `GMT+05:30` and the like. */
function readOffset(format: Intl.DateTimeFormat, timeMs: number): number {
  const parts = format.formatToParts(timeMs)
  const written = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return parseOffset(written.replace('GMT', '')) ?? 0
}

/** Of `+05:30`, with seconds as they were a century ago. */
function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes, seconds = '0'] =
    /^([+-])([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? []
  if (sign === undefined) return undefined
  const ms = Number(hours) * hourMs + Number(minutes) * minuteMs + Number(seconds) * 1_000
  return sign === '-' ? -ms : ms
}

/** A time there with its distance from UTC, to the minute: `2026-10-25T02:00+01:00`. */
export function formatInZone({ offsetMs }: TimeZone, timeMs: number): string {
  const offset = offsetMs(timeMs)
  const local = new Date(timeMs + offset).toISOString().slice(0, 16)
  const distance = new Date(Math.abs(offset)).toISOString().slice(11, 16)
  return `${local}${offset < 0 ? '-' : '+'}${distance}`
}

/** The start of the hour or day there that the time is in. A day is one of the calendar: it may have 23 or 25 hours. */
export function findStart(zone: TimeZone, timeMs: number, unit: 'hour' | 'day'): number {
  let start = timeMs - modulo(timeMs + zone.offsetMs(timeMs), hourMs)
  if (unit === 'hour') return start
  const day = dayOf(zone, timeMs)
  while (dayOf(zone, start - hourMs) === day) start -= hourMs
  return start
}

/** The shortest day that a zone has. */
const shortestDayMs = 22 * hourMs

/** The start of the hour or day behind the one that starts then. */
export function findNextStart(zone: TimeZone, startMs: number, unit: 'hour' | 'day'): number {
  if (unit === 'hour') return startMs + hourMs
  const day = dayOf(zone, startMs)
  let next = startMs + shortestDayMs
  while (dayOf(zone, next) === day) next += hourMs
  return findStart(zone, next, unit)
}

/** The same hour there so many days of the calendar before. */
export function stepDaysBack({ offsetMs }: TimeZone, timeMs: number, days: number): number {
  const before = timeMs - days * dayMs
  return before + offsetMs(timeMs) - offsetMs(before)
}

/** Days of the calendar there since 1970. */
function dayOf({ offsetMs }: TimeZone, timeMs: number): number {
  return Math.floor((timeMs + offsetMs(timeMs)) / dayMs)
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}
