/** Declares the views of applications, signing keys, users and sessions, and builds them. */

import { openObject, optional, type TypeOf, text, timeSchema } from '../../domain/jsonSchema.ts'
import { appSettingsSchema } from '../../domain/sessions/appSettings.ts'
import type { SessionDevice } from '../../domain/sessions/sessionDevice.ts'
import { personal } from '../../domain/shownPersons.ts'
import { isoTime, withIsoTimes } from '../../domain/text/isoTime.ts'
import type { AppState, MigrationConfig } from '../../events/sessions/appEvents.ts'
import type { SessionState } from '../../events/sessions/session.ts'

/** An application as its account sees it. */
export const appSchema = openObject('App', {
  app_id: text,
  name: text,
  registered_at: timeSchema,
  retired_at: optional({ ...timeSchema, description: 'Absent while the application is active.' }),
  settings: appSettingsSchema,
})
export type AppView = TypeOf<typeof appSchema>

export function buildAppView(
  appId: string,
  { name, settings, registered_at, retired_at }: AppState,
): AppView {
  return {
    app_id: appId,
    name,
    settings,
    registered_at: isoTime(registered_at),
    ...(retired_at !== undefined && { retired_at: isoTime(retired_at) }),
  }
}

const migrationConfigSchema = openObject('MigrationConfig', {
  session_validation_url: text,
  created_at: timeSchema,
  updated_at: { ...timeSchema, description: 'ISO 8601 UTC; changes only with the URL.' },
})
/** Spec 2.10. */
export const migrationConfigAnswerSchema = openObject('MigrationConfigAnswer', {
  config: migrationConfigSchema,
})
export type MigrationConfigView = TypeOf<typeof migrationConfigAnswerSchema>

export function buildMigrationConfigView(config: MigrationConfig): MigrationConfigView {
  return { config: withIsoTimes(config, ['created_at', 'updated_at']) }
}

export const signingKeySchema = openObject('SigningKey', {
  kid: text,
  public_key: { type: 'string', description: 'Ed25519, 43 characters of base64url.' },
  status: {
    type: 'string',
    enum: ['signs', 'verifies', 'retired'],
    description: 'The newest key signs; earlier keys verify until they are retired.',
  },
  added_at: timeSchema,
  retired_at: optional({ ...timeSchema, description: 'Absent while the key verifies.' }),
})
export type SigningKeyView = TypeOf<typeof signingKeySchema>

/** The newest last. */
export function buildSigningKeyViews({
  signing_keys: keys,
}: Pick<AppState, 'signing_keys'>): readonly SigningKeyView[] {
  return keys.map((key) => {
    const isLast = key === keys.at(-1)
    const status = key.retired_at !== undefined ? 'retired' : isLast ? 'signs' : 'verifies'
    return withIsoTimes({ ...key, status }, ['added_at', 'retired_at'])
  })
}

export const userSchema = openObject('User', {
  id: text,
  identifiers: {
    type: 'array',
    items: openObject('Identifier', {
      type: text,
      value: personal({ type: 'string', description: 'In canonical form.' }),
    }),
    description: 'None after an erasure.',
  },
  created_at: timeSchema,
})
export type UserView = TypeOf<typeof userSchema>

/** `created_at` in milliseconds since the Unix epoch. */
export function buildUserView(
  id: string,
  { identifiers, created_at }: Pick<UserView, 'identifiers'> & { readonly created_at: number },
): UserView {
  return { id, identifiers, created_at: isoTime(created_at) }
}

/** Spec 2.9. */
export const sessionFields = {
  id: text,
  device_type: personal({
    type: 'string',
    description: 'In upper case; empty when it is not known.',
  }),
  device_model: personal(text),
  os_version: personal(text),
  country_code: personal({ type: 'string', description: 'Two upper-case letters, or empty.' }),
  created_at: timeSchema,
  last_seen_at: { ...timeSchema, description: 'Last refresh; ISO 8601 UTC.' },
  expires_at: { ...timeSchema, description: 'Expiry unless refreshed; ISO 8601 UTC.' },
} as const
export const sessionSchema = openObject('Session', sessionFields)
export type SessionView = TypeOf<typeof sessionSchema>

interface ShownSession extends Pick<SessionState, 'started_at' | 'last_seen_at' | 'expires_at'> {
  readonly device: SessionDevice
}

export function buildSessionView(
  id: string,
  { device, started_at, last_seen_at, expires_at }: ShownSession,
): SessionView {
  return {
    id,
    ...device,
    created_at: isoTime(started_at),
    last_seen_at: isoTime(last_seen_at),
    expires_at: isoTime(expires_at),
  }
}
