/** Declares settings of applications and served applications; computes when sessions end. */

import { closedObject, openObject, optional, optionalFields, type TypeOf } from '../jsonSchema.ts'
import { originLengthMax } from '../network/webOrigin.ts'

const daySeconds = 24 * 60 * 60

function number(minimum: number, maximum: number, description: string) {
  return { type: 'integer', minimum, maximum, description } as const
}

const tokens = {
  access_seconds: number(60, daySeconds, 'How long an access token is valid.'),
  refresh_seconds: number(
    5 * 60,
    366 * daySeconds,
    'How long a session lives after its last refresh.',
  ),
  session_days: number(
    0,
    3_660,
    'How long a session lives from its start, however often it is refreshed; 0 for no end.',
  ),
  signing_key_days: number(1, 366, 'Age in days at which a signing key is replaced.'),
}

/** How many characters of each kind a password has at least, and how long it may be; the minimum of NIST SP 800-63B. */
const password = {
  min_length: number(8, 1_024, 'In code points.'),
  max_length: number(8, 1_024, 'In code points.'),
  uppercase: number(0, 64, 'Minimum number of upper-case letters (Unicode class Lu).'),
  lowercase: number(0, 64, 'Minimum number of lower-case letters (Unicode class Ll).'),
  numbers: number(0, 64, 'Minimum number of digits (Unicode class Nd).'),
  symbols: number(0, 64, 'Minimum number of other characters.'),
}

/** The settings that are numbers, with the least and the most of each. */
export const numericAppSettings = { ...tokens, ...password }

export const passwordChangeRevokes = ['none', 'others', 'all'] as const

const others = {
  allowed_origins: {
    type: 'array',
    maxItems: 50,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: originLengthMax },
    description:
      'Origins whose pages may call the host of the application with credentials, such as https://shop.example.',
  },
  password_change_revokes: {
    type: 'string',
    enum: passwordChangeRevokes,
    description:
      'Sessions that end when a user changes the password: none, all but the current one, or all.',
  },
} as const

/** What a password must have, as users of an application read it. */
export const passwordCompliancySchema = openObject('PasswordCompliancy', password)
export type PasswordPolicy = TypeOf<typeof passwordCompliancySchema>

export const appSettingsSchema = openObject('AppSettings', {
  tokens: openObject('TokenLifetimes', tokens),
  password: openObject('PasswordPolicy', password),
  ...others,
})
export type AppSettings = TypeOf<typeof appSettingsSchema>
export type TokenLifetimes = AppSettings['tokens']

export const appSettingsInputSchema = closedObject(
  'AppSettingsInput',
  {
    tokens: optional(closedObject('TokenLifetimesInput', optionalFields(tokens))),
    password: optional(closedObject('PasswordPolicyInput', optionalFields(password))),
    ...optionalFields(others),
  },
  { description: 'Omitted fields stay.', minProperties: 1 },
)
export type AppSettingsInput = TypeOf<typeof appSettingsInputSchema>

export const defaultAppSettings: AppSettings = {
  tokens: {
    access_seconds: 600,
    refresh_seconds: 30 * daySeconds,
    session_days: 90,
    signing_key_days: 90,
  },
  password: { min_length: 8, max_length: 128, uppercase: 0, lowercase: 0, numbers: 0, symbols: 0 },
  allowed_origins: [],
  password_change_revokes: 'others',
}

/** When a session that begins or is refreshed now ends unless refreshed again; milliseconds since the Unix epoch. */
export function computeSessionEndMs(
  { refresh_seconds, session_days }: TokenLifetimes,
  { startedAt, nowMs }: { readonly startedAt: number; readonly nowMs: number },
): number {
  const end = nowMs + refresh_seconds * 1_000
  return session_days > 0 ? Math.min(end, startedAt + session_days * daySeconds * 1_000) : end
}

/** These settings, overridden by the input; what the input omits stays. */
export function mergeAppSettings(settings: AppSettings, input: AppSettingsInput): AppSettings {
  return {
    tokens: { ...settings.tokens, ...input.tokens },
    password: { ...settings.password, ...input.password },
    allowed_origins: input.allowed_origins ?? settings.allowed_origins,
    password_change_revokes: input.password_change_revokes ?? settings.password_change_revokes,
  }
}

/** An application as its host serves it. */
export interface ServedApp {
  readonly appId: string
  readonly account: string
  readonly settings: AppSettings
  /** The public keys that verify its tokens; the last one signs. */
  readonly keys: readonly { readonly kid: string; readonly public_key: string }[]
}
