/** Lists every environment variable of the service, and reads their texts and whole numbers. */

/** Every variable that is read: one that is not here cannot be. */
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

/** A variable's text, and where to complain about it. */
export interface Reading {
  readonly text: (name: SettingName) => string | undefined
  readonly mistakes: string[]
}

interface Bounds<Fallback> {
  readonly min: number
  readonly max: number
  readonly fallback: Fallback
}

/** A whole number within its bounds; the fallback when there is none, or when it is none, which is a mistake. */
export function readInteger<Fallback extends number | undefined>(
  { text, mistakes }: Reading,
  name: SettingName,
  bounds: Bounds<Fallback>,
): number | Fallback {
  const given = text(name)
  if (given === undefined) return bounds.fallback
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
  if (value >= bounds.min && value <= bounds.max) return value
  mistakes.push(`${name} must be a whole number from ${bounds.min} to ${bounds.max}.`)
  return bounds.fallback
}
