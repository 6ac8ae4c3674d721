/** The signals of spec 2.3 and what kind of word each is. */

export const devicePlatforms = ['android', 'ios', 'ipados', 'tvos', 'web'] as const

/** Signals of the device or its network: they count only with a dispatch (spec 2.3, rule 6). */
export const deviceSignals = [
  'ip',
  'device_id',
  'device_platform',
  'device_model',
  'os_version',
  'app_version',
  'user_agent',
  'ja4_fingerprint',
] as const

/** Signals that are the caller's own word and count without a dispatch. */
export const callerSignals = ['is_trusted_user', 'existing_user'] as const

export type DeviceSignal = (typeof deviceSignals)[number]
export type CallerSignal = (typeof callerSignals)[number]

/** Signals as a caller or a front end sends them; an absent or empty one was not sent. */
export interface Signals {
  readonly ip?: string
  readonly device_id?: string
  readonly device_platform?: string
  readonly device_model?: string
  readonly os_version?: string
  readonly app_version?: string
  readonly user_agent?: string
  readonly ja4_fingerprint?: string
  readonly is_trusted_user?: boolean
  readonly existing_user?: boolean
  readonly ext?: Readonly<Record<string, string>>
}
