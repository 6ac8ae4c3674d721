/** Declares the schemas of sessions and scopes (spec 2.9). */

import type { ScopeInput, ScopeView } from '../../commands/sessions/grantScope.ts'
import type { SessionInput, StartedSession } from '../../commands/sessions/startSession.ts'
import type { SessionView } from '../../commands/sessions/views.ts'
import { optional, pageSchema, type Schema, timeText } from '../../domain/schema.ts'
import {
  countryPattern,
  deviceTextMax,
  deviceTypePattern,
} from '../../domain/sessions/sessionDevice.ts'
import type { OwnSessionView } from '../../queries/sessions/sessions.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'

const deviceText: Schema = { type: 'string', maxLength: deviceTextMax }

const scope: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: '^[!#-\\[\\]-~]+$',
  description: 'Such as `prld:pwd:write`, to change the password once.',
}

export const sessionInputSchema: Schema = inputSchema<SessionInput>('SessionInput', {
  device_type: optional({
    type: 'string',
    pattern: deviceTypePattern,
    description: 'Such as `IOS`; shown in upper case.',
  }),
  device_model: optional(deviceText),
  os_version: optional(deviceText),
  country_code: optional({
    type: 'string',
    pattern: countryPattern,
    description: 'Two letters; shown in upper case.',
  }),
  scopes: optional({
    type: 'array',
    maxItems: 10,
    uniqueItems: true,
    items: scope,
    description: 'What the session may do once, within five minutes.',
  }),
})

const sessionFields = {
  id: { type: 'string' },
  device_type: { type: 'string', description: 'In upper case; empty when it is not known.' },
  device_model: { type: 'string' },
  os_version: { type: 'string' },
  country_code: { type: 'string', description: 'Two upper-case letters, or empty.' },
  created_at: timeText,
  last_seen_at: { ...timeText, description: 'When it was refreshed last; ISO 8601 UTC.' },
  expires_at: { ...timeText, description: 'When it ends unless it is refreshed; ISO 8601 UTC.' },
} satisfies Fields<SessionView>

const sessionViewSchema: Schema = viewSchema<SessionView>('Session', sessionFields)

export const ownSessionViewSchema: Schema = viewSchema<OwnSessionView>('OwnSession', {
  ...sessionFields,
  is_current: { type: 'boolean', description: 'Whether it is the session that asks.' },
})

export const startedSessionSchema: Schema = viewSchema<StartedSession>('StartedSession', {
  session: sessionViewSchema,
  refresh_token: {
    type: 'string',
    description: 'For the device of the user; shown once, and kept as a hash.',
  },
  refresh_token_expires_at: timeText,
  access_token: { type: 'string', description: 'A JWT signed by the application.' },
  expires_at: {
    type: 'integer',
    description: 'When the access token expires, in seconds since the Unix epoch.',
  },
})

export const activeSessionsSchema: Schema = pageSchema(
  'ActiveSessions',
  'sessions',
  sessionViewSchema,
)

export const scopeInputSchema: Schema = inputSchema<ScopeInput>('ScopeInput', {
  scope,
  session_id: optional({
    type: 'string',
    pattern: '^ses_[0-7][0-9a-hjkmnp-tv-z]{25}$',
    description: 'The one session it is for; any of the user’s when it is left out.',
  }),
  seconds: optional({
    type: 'integer',
    minimum: 30,
    maximum: 900,
    default: 300,
    description: 'How long it can be used.',
  }),
})

export const scopeViewSchema: Schema = viewSchema<ScopeView>('ScopeGrant', {
  scope: { type: 'string' },
  session_id: optional({ type: 'string' }),
  granted_at: timeText,
  expires_at: timeText,
})
