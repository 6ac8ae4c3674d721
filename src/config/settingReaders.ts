/** Names the environment variables of the service; declares formats of settings, and reads them. */

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

/** How a setting is written. */
export interface SettingFormat<Value> {
  /** What it must be, for the sentence about a mistake. */
  readonly form: string
  /** Undefined for any other text. */
  readonly parse: (text: string) => Value | undefined
}

/** Reads a setting; undefined when it is not set. Any other text than one of its format is a mistake. */
export function readSetting<Value>(
  { text, mistakes }: SettingReader,
  name: SettingName,
  { form, parse }: SettingFormat<Value>,
): Value | undefined {
  const given = text(name)
  if (given === undefined) return undefined
  const value = parse(given)
  if (value === undefined) mistakes.push(`${name} must be ${form}.`)
  return value
}

/** A whole number within these bounds, times the unit. */
export function integerFormat(min: number, max: number, unit = 1): SettingFormat<number> {
  const parse = (text: string): number | undefined => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value * unit : undefined
  }
  return { form: `a whole number from ${min} to ${max}`, parse }
}

/** One of the values, in any case of letters. */
export function choiceFormat<const Value extends string>(
  values: readonly Value[],
): SettingFormat<Value> {
  const form = values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ')
  return { form, parse: (text) => values.find((value) => value === text.toLowerCase()) }
}

/** A text that matches. */
export function textFormat(pattern: RegExp, form: string): SettingFormat<string> {
  return { form, parse: (text) => (pattern.test(text) ? text : undefined) }
}

const rateMax = 100_000

/** Requests a second, and the number that may come at once after a pause, written `50` or `50:200`. */
export const rateFormat = {
  form: `requests per second, such as 50, or with a burst at least as large, such as 50:200, up to ${rateMax}`,
  parse: (text: string) => {
    const [, rate, limit = rate] = /^(\d{1,6})(?::(\d{1,6}))?$/.exec(text) ?? []
    const [perSecond, burst] = [Number(rate), Number(limit)]
    const isValid = perSecond >= 1 && perSecond <= burst && burst <= rateMax
    return isValid ? { perSecond, burst } : undefined
  },
}
