/** Declares the signals and targets of evaluations (spec 2.2, 2.3), grouped by who sends them. */

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

/** Signals that the caller vouches for; they count without a dispatch. */
export const callerSignals = ['is_trusted_user', 'existing_user'] as const

export type DeviceSignal = (typeof deviceSignals)[number]
/** The device signals that a front end sends itself; address and fingerprint are read from its connection. */
export type FrontEndSignal = Exclude<DeviceSignal, 'ip' | 'ja4_fingerprint'>
export type CallerSignal = (typeof callerSignals)[number]

/** Signals as a caller or a front end sends them; an absent or empty one was not sent. */
export interface Signals
  extends Readonly<Partial<Record<DeviceSignal, string>>>,
    Readonly<Partial<Record<CallerSignal, boolean>>> {
  readonly ext?: Readonly<Record<string, string>>
}

/** The end user that is evaluated, in canonical form (spec 2.2). */
export interface EvaluatedTarget {
  /** E.164. */
  readonly phone_number?: string
  readonly email_address?: string
}
