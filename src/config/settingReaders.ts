/** Names the environment variables of the service; declares formats of settings, and reads them. */

import { readFileSync } from 'node:fs'
import { describeFileFault, findFileFault } from '../domain/fileFaults.ts'
import { nearestName } from '../domain/text/nearestName.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Secrets, which instances on the same stores share. `…_FILE` names a file that holds one. */
export const secretNames = [
  'EVENTSTORE_URL',
  'MONGODB_URL',
  'VIGIL_MASTER_KEY',
  'VIGIL_OPERATOR_TOKEN',
] as const

export type SecretName = (typeof secretNames)[number]

export const settingNames = [
  'PORT',
  'HOST',
  'VIGIL_DATA',
  'VIGIL_DEMO',
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
  ...secretNames,
  ...secretNames.map((name) => `${name}_FILE` as const),
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

/**
 * Reads a secret from its variable, or from the file that `…_FILE` names; undefined when neither is set. Throws a
 * sentence, which does not quote it, when both are set and when the file cannot be read as UTF-8.
 */
export function readSecret(env: Environment, name: SecretName): string | undefined {
  const [text, path] = [env[name]?.trim(), env[`${name}_FILE`]?.trim()]
  if (!path) return text || undefined
  if (text) throw new Error(`${name} and ${name}_FILE are both set: set one of them.`)
  const secret = readTextFile(path, `${name}_FILE`).trim()
  if (secret === '') throw new Error(`${name}_FILE names ${path}, which is empty.`)
  return secret
}

function readTextFile(path: string, variable: string): string {
  try {
    // takes a byte order mark away
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (cause) {
    const fault = findFileFault(cause)
    const reason = fault === undefined ? 'it is not UTF-8 text' : describeFileFault(fault)
    throw new Error(`${variable} names ${path}, which cannot be read: ${reason}.`, { cause })
  }
}

/** Variables of the command line and of the guides' examples. */
const clientNames = [
  'VIGIL_URL',
  'VIGIL_TOKEN',
  'VIGIL_PROFILE',
  'VIGIL_SIGNUP_FLOW',
  'VIGIL_PAYOUT_FLOW',
  'VIGIL_ANALYST_PASSWORD',
]

/** What Kubernetes sets in every pod for Services named `vigil` or `vigil-…`, unless `enableServiceLinks` is false. */
const isServiceLink = (name: string, value: string): boolean =>
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/.test(name) ||
  (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value))

/** A mistake for each variable that begins like a setting and is none; an empty one counts as not set. */
export function listUnknownSettings(env: Environment): readonly string[] {
  const known = new Set<string>([...settingNames, ...clientNames])
  const unknown = Object.entries(env).filter(
    ([name, value = '']) =>
      /^(?:VIGIL_|EVENTSTORE_URL|MONGODB_URL)/.test(name) &&
      !known.has(name) &&
      value.trim() !== '' &&
      !isServiceLink(name, value),
  )
  return unknown.map(([name]) => {
    const meant = nearestName(name, settingNames)
    const advice = meant === undefined ? 'unset it.' : `did you mean ${meant}?`
    return `${name} is not a setting of this version: ${advice}`
  })
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
