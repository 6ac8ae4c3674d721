/** Names the environment variables of the service; reads integers, choices and rate limits. */

export const settingNames = [
  'PORT',
  'HOST',
  'VIGIL_DATA',
  'VIGIL_DEMO',
  'VIGIL_OPERATOR_TOKEN',
  'VIGIL_MASTER_KEY',
  'TRUST_PROXY',
  'LOG_LEVEL',
  'VIGIL_MAX_IN_FLIGHT',
  'VIGIL_METRICS',
  'VIGIL_RATE_LIMIT',
  'VIGIL_SDK_KEY_RATE_LIMIT',
  'VIGIL_SDK_ADDRESS_RATE_LIMIT',
  'VIGIL_SDK_KEY_DAILY_MEGABYTES',
  'VIGIL_JA4_HEADER',
  'VIGIL_COUNTRY_HEADER',
  'VIGIL_DISPATCH_HOURS',
  'VIGIL_REFRESH_REPEAT_SECONDS',
  'VIGIL_ROLE',
  'VIGIL_PRIVATE_MIGRATION_HOSTS',
  'SESSION_DOMAIN',
  'EVENTSTORE_URL',
  'MONGODB_URL',
] as const

export type SettingName = (typeof settingNames)[number]

/** Reads a variable's text, and collects the mistakes. */
export interface SettingReader {
  readonly text: (name: SettingName) => string | undefined
  readonly mistakes: string[]
}

/** A whole number within its bounds, times the unit; the fallback when it is not set. Out of bounds is a mistake. */
export function readInteger<Fallback extends number | undefined>(
  { text, mistakes }: SettingReader,
  name: SettingName,
  bounds: { min: number; max: number; fallback: Fallback; unit?: number },
): number | Fallback {
  const { min, max, fallback, unit = 1 } = bounds
  const given = text(name)
  if (given === undefined) return fallback
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
  if (value >= min && value <= max) return value * unit
  mistakes.push(`${name} must be a whole number from ${min} to ${max}.`)
  return fallback
}

/** One of the values, in any case of letters; the first when it is not set. Any other text is a mistake. */
export function readChoice<Value extends string>(
  { text, mistakes }: SettingReader,
  name: SettingName,
  values: readonly [Value, ...Value[]],
): Value {
  const given = text(name)?.toLowerCase()
  const value = values.find((known) => known === given)
  if (given !== undefined && value === undefined) {
    const expected = values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ')
    mistakes.push(`${name} must be ${expected}.`)
  }
  return value ?? values[0]
}

/** Requests a second, and the number that may come at once after a pause. */
export interface RateSetting {
  readonly perSecond: number
  readonly burst: number
}

const rateMax = 100_000

/** A rate written `50` or `50:200`; undefined when it is not set. Any other text is a mistake. */
export function readRateLimit(
  { text, mistakes }: SettingReader,
  name: Extract<SettingName, `${string}_RATE_LIMIT`>,
): RateSetting | undefined {
  const given = text(name)
  if (given === undefined) return undefined
  const [, rate, limit = rate] = /^(\d{1,6})(?::(\d{1,6}))?$/.exec(given) ?? []
  const [perSecond, burst] = [Number(rate), Number(limit)]
  if (perSecond >= 1 && perSecond <= burst && burst <= rateMax) return { perSecond, burst }
  mistakes.push(
    `${name} must be requests per second, such as 50, or with a burst at least as large, such as 50:200, up to ${rateMax}.`,
  )
  return undefined
}
