/** Parses, formats and splits timestamps and durations (ms, UTC). */

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z. */
const timestampMin = -62_135_596_800_000
const timestampMax = 253_402_300_799_999
/** About ten thousand years, as in CEL. */
const durationMax = 315_576_000_000_000

const rfc3339 =
  /^(\d{4}-\d\d-(\d\d))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,9}))?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
const durationPart = /(\d+)(?:\.(\d*))?(ns|us|µs|ms|s|m|h)|\.(\d+)(ns|us|µs|ms|s|m|h)/g
const durationForm = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/
const durationChars = 64
const nanosOf: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])

/** The timestamp, when it is in the years 1 to 9999. */
export function asTimestamp(ms: number): number | undefined {
  return ms >= timestampMin && ms <= timestampMax ? ms + 0 : undefined
}

/** The duration, when it is at most about ten thousand years. */
export function asDuration(ms: number): number | undefined {
  return Math.abs(ms) <= durationMax ? ms + 0 : undefined
}

/** RFC 3339 to the letter: a day that its month lacks is no date. Fractions beyond milliseconds are dropped. */
export function parseTimestamp(text: string): number | undefined {
  const [, date, day] = rfc3339.exec(text) ?? []
  // `Date` takes a day that its month does not have for one of the next
  if (date === undefined || new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(day)) {
    return undefined
  }
  return asTimestamp(Date.parse(text))
}

/** Seconds since the Unix epoch. */
export function toTimestamp(seconds: number): number | undefined {
  return asTimestamp(seconds * 1000)
}

/** Like `1h30m`, `-2.5s`, `250ms`. Finer than milliseconds is dropped. */
export function parseDuration(text: string): number | undefined {
  const nanos = parseDurationNanos(text)
  return nanos === undefined ? undefined : asDuration(Number(nanos / 1_000_000n))
}

/** Whether a timestamp or duration is written finer than milliseconds. */
export function isFinerThanMs(text: string): boolean {
  const fraction = rfc3339.exec(text)?.[3]
  if (fraction !== undefined) return /[1-9]/.test(fraction.slice(3))
  return (parseDurationNanos(text) ?? 0n) % 1_000_000n !== 0n
}

function parseDurationNanos(text: string): bigint | undefined {
  if (text.length > durationChars || !durationForm.test(text)) return undefined
  let nanos = 0n
  for (const [, whole, fraction, unit, bare, bareUnit] of text.matchAll(durationPart)) {
    const size = nanosOf.get(unit ?? bareUnit ?? '') ?? 0n
    const digits = fraction ?? bare ?? ''
    nanos += BigInt(whole ?? 0) * size + (BigInt(digits || 0) * size) / 10n ** BigInt(digits.length)
  }
  return text.startsWith('-') ? -nanos : nanos
}

/** RFC 3339 in UTC, with a fraction only where there is one. */
export function formatTimestamp(ms: number): string {
  const text = new Date(ms).toISOString()
  const fraction = text.slice(19, -1).replace(/\.?0+$/, '')
  return `${text.slice(0, 19)}${fraction}Z`
}

/** Seconds with as many decimals as needed: `5400s`, `-0.25s`. */
export function formatDuration(ms: number): string {
  const whole = Math.trunc(Math.abs(ms) / 1000)
  const fraction = String(Math.abs(ms) % 1000)
    .padStart(3, '0')
    .replace(/0+$/, '')
  return `${ms < 0 ? '-' : ''}${whole}${fraction && '.'}${fraction}s`
}

/** Parts of a timestamp in UTC, as in CEL: months, days of month and year from 0, Sunday 0; `getDate` from 1. */
export const timestampParts = {
  getFullYear: (ms: number) => new Date(ms).getUTCFullYear(),
  getMonth: (ms: number) => new Date(ms).getUTCMonth(),
  getDate: (ms: number) => new Date(ms).getUTCDate(),
  getDayOfMonth: (ms: number) => new Date(ms).getUTCDate() - 1,
  getDayOfWeek: (ms: number) => new Date(ms).getUTCDay(),
  getDayOfYear: (ms: number) => {
    const newYear = new Date(0).setUTCFullYear(new Date(ms).getUTCFullYear(), 0, 1)
    return Math.floor((ms - newYear) / 86_400_000)
  },
  getHours: (ms: number) => Math.floor(modulo(ms, 86_400_000) / 3_600_000),
  getMinutes: (ms: number) => Math.floor(modulo(ms, 3_600_000) / 60_000),
  getSeconds: (ms: number) => Math.floor(modulo(ms, 60_000) / 1000),
  getMilliseconds: (ms: number) => modulo(ms, 1000),
} as const

/** The whole of a duration in one unit, towards zero. */
export const durationTotals = {
  getHours: (ms: number) => Math.trunc(ms / 3_600_000) + 0,
  getMinutes: (ms: number) => Math.trunc(ms / 60_000) + 0,
  getSeconds: (ms: number) => Math.trunc(ms / 1000) + 0,
} as const

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

const withoutSeconds = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(Z|[+-]\d\d:\d\d)$/

/**
 * Milliseconds since the Unix epoch of an ISO 8601 time with a zone, seconds optional; undefined for other texts and
 * before the epoch.
 */
export function parseIsoTimeMs(text: string): number | undefined {
  const timeMs = parseTimestamp(text.replace(withoutSeconds, '$1:00$2'))
  return timeMs === undefined || timeMs < 0 ? undefined : timeMs
}
