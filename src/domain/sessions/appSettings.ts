/** Declares the settings of an application: token lifetimes, password policy, allowed origins. */

/** How many characters of each kind a password has at least, and how long it may be, in code points. */
export interface PasswordPolicy {
  readonly min_length: number
  readonly max_length: number
  /** Letters of the Unicode class Lu. */
  readonly uppercase: number
  /** Letters of the Unicode class Ll. */
  readonly lowercase: number
  /** Digits of the Unicode class Nd. */
  readonly numbers: number
  /** Everything else. */
  readonly symbols: number
}

export interface TokenLifetimes {
  readonly access_seconds: number
  readonly refresh_seconds: number
  /** How long a session lives however often it is refreshed; without end for 0. */
  readonly session_days: number
  /** How old a signing key becomes before another one takes its place. */
  readonly signing_key_days: number
}

/** Whose sessions end when a user changes the password: none, all but the one it is changed in, or that one too. */
export const passwordChangeRevokes = ['none', 'others', 'all'] as const

export interface AppSettings {
  readonly tokens: TokenLifetimes
  readonly password: PasswordPolicy
  /** Origins whose pages may call the application's host with credentials: `https://shop.example`. */
  readonly allowed_origins: readonly string[]
  readonly password_change_revokes: (typeof passwordChangeRevokes)[number]
}

/** The default settings of an application. */
export const usualAppSettings: AppSettings = {
  tokens: {
    access_seconds: 600,
    refresh_seconds: 30 * 24 * 60 * 60,
    session_days: 90,
    signing_key_days: 90,
  },
  password: {
    min_length: 8,
    max_length: 128,
    uppercase: 0,
    lowercase: 0,
    numbers: 0,
    symbols: 0,
  },
  allowed_origins: [],
  password_change_revokes: 'others',
}

/** The least and the most of each number. */
export const appSettingBounds = {
  access_seconds: { minimum: 60, maximum: 24 * 60 * 60 },
  refresh_seconds: { minimum: 5 * 60, maximum: 366 * 24 * 60 * 60 },
  session_days: { minimum: 0, maximum: 3_660 },
  signing_key_days: { minimum: 1, maximum: 366 },
  // NIST SP 800-63B takes none that is shorter
  min_length: { minimum: 8, maximum: 1_024 },
  max_length: { minimum: 8, maximum: 1_024 },
  uppercase: { minimum: 0, maximum: 64 },
  lowercase: { minimum: 0, maximum: 64 },
  numbers: { minimum: 0, maximum: 64 },
  symbols: { minimum: 0, maximum: 64 },
} as const satisfies Record<
  keyof TokenLifetimes | keyof PasswordPolicy,
  { readonly minimum: number; readonly maximum: number }
>

const dayMs = 24 * 60 * 60 * 1_000

/** When a session that begins or is refreshed now ends unless it is refreshed again; milliseconds since the Unix epoch. */
export function sessionEnd(
  { refresh_seconds, session_days }: TokenLifetimes,
  { startedAt, nowMs }: { readonly startedAt: number; readonly nowMs: number },
): number {
  const end = nowMs + refresh_seconds * 1_000
  return session_days > 0 ? Math.min(end, startedAt + session_days * dayMs) : end
}

export const allowedOriginsMax = 50

/** Settings of which some are left out. */
export interface AppSettingsInput {
  readonly tokens?: Partial<TokenLifetimes>
  readonly password?: Partial<PasswordPolicy>
  readonly allowed_origins?: readonly string[]
  readonly password_change_revokes?: AppSettings['password_change_revokes']
}

/** These settings, overridden by the input; what the input omits stays. */
export function withSettings(settings: AppSettings, input: AppSettingsInput): AppSettings {
  return {
    tokens: { ...settings.tokens, ...input.tokens },
    password: { ...settings.password, ...input.password },
    allowed_origins: input.allowed_origins ?? settings.allowed_origins,
    password_change_revokes: input.password_change_revokes ?? settings.password_change_revokes,
  }
}

export interface ServedApp {
  readonly appId: string
  /** Whose it is. */
  readonly account: string
  readonly settings: AppSettings
  /** The public halves of the keys by which its tokens are verified, the one that signs at the end. */
  readonly keys: readonly { readonly kid: string; readonly public_key: string }[]
}

/** The application of an id; undefined when there is none in service. */
export type FindServedApp = (appId: string) => Promise<ServedApp | undefined>

/** The same as far as it is known at once. */
export type PeekServedApp = (appId: string) => ServedApp | undefined
