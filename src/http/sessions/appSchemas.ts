/** Applications as they are registered, set and shown. */

import { appIdPattern } from '../../domain/appId.ts'
import {
  type AppSettings,
  type AppSettingsInput,
  allowedOriginsMax,
  appSettingBounds,
  type PasswordPolicy,
  passwordChangeRevokes,
  type TokenLifetimes,
} from '../../domain/appSettings.ts'
import { originLengthMax } from '../../domain/webOrigin.ts'
import type { AppInput, AppView } from '../../service/sessions/sessionsPart.ts'
import {
  type Fields,
  inputSchema,
  optional,
  optionalFields,
  viewSchema,
} from '../request/fields.ts'
import { pageSchema } from '../request/pageSchema.ts'
import { limits, type Schema, timeText } from '../request/schema.ts'

function number(name: keyof typeof appSettingBounds, description: string): Schema {
  return { type: 'integer', ...appSettingBounds[name], description }
}

const tokens = {
  access_seconds: number('access_seconds', 'How long an access token is valid.'),
  refresh_seconds: number('refresh_seconds', 'How long a session lives after its last refresh.'),
  signing_key_days: number(
    'signing_key_days',
    'How old a signing key becomes before another one takes its place.',
  ),
} satisfies Fields<TokenLifetimes>

export const passwordPolicyFields = {
  min_length: number('min_length', 'In code points.'),
  max_length: number('max_length', 'In code points.'),
  uppercase: number('uppercase', 'How many letters of the Unicode class Lu at least.'),
  lowercase: number('lowercase', 'How many letters of the Unicode class Ll at least.'),
  numbers: number('numbers', 'How many digits of the Unicode class Nd at least.'),
  symbols: number('symbols', 'How many other characters at least.'),
} satisfies Fields<PasswordPolicy>

const allowedOrigins: Schema = {
  type: 'array',
  maxItems: allowedOriginsMax,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: originLengthMax },
  description:
    'Origins whose pages may call the host of the application with credentials, such as https://shop.example.',
}

const revokes: Schema = {
  type: 'string',
  enum: passwordChangeRevokes,
  description:
    'Whose sessions end when a user changes the password: none, all but the one it is changed in, or that one too.',
}

const settings: Schema = viewSchema<AppSettings>('AppSettings', {
  tokens: viewSchema<TokenLifetimes>('TokenLifetimes', tokens),
  password: viewSchema<PasswordPolicy>('PasswordPolicy', passwordPolicyFields),
  allowed_origins: allowedOrigins,
  password_change_revokes: revokes,
})

export const appSettingsInputSchema: Schema = inputSchema<AppSettingsInput>(
  'AppSettingsInput',
  {
    tokens: optional(
      inputSchema<Partial<TokenLifetimes>>('TokenLifetimesInput', optionalFields(tokens)),
    ),
    password: optional(
      inputSchema<Partial<PasswordPolicy>>(
        'PasswordPolicyInput',
        optionalFields(passwordPolicyFields),
      ),
    ),
    allowed_origins: optional(allowedOrigins),
    password_change_revokes: optional(revokes),
  },
  { description: 'What is left out stays as it is.', minProperties: 1 },
)

export const appInputSchema: Schema = inputSchema<AppInput>('AppInput', {
  name: { type: 'string', minLength: 1, maxLength: limits.name },
  app_id: optional({
    type: 'string',
    pattern: appIdPattern,
    description:
      '7 lower-case letters and digits, the first part of its host name; made when it is left out.',
  }),
  settings: optional(appSettingsInputSchema),
})

export const appViewSchema: Schema = viewSchema<AppView>('App', {
  app_id: { type: 'string' },
  name: { type: 'string' },
  registered_at: timeText,
  retired_at: optional({ ...timeText, description: 'Absent while the application is in service.' }),
  settings,
})

export const appListSchema: Schema = pageSchema('AppList', 'apps', appViewSchema)
