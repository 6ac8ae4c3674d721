/** Declares and folds an application's events (streams `app-{id}`); finds when keys are due. */

import type { TypeOf } from '../../domain/jsonSchema.ts'
import type { AppSettings } from '../../domain/sessions/appSettings.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import {
  epochMs,
  integerFrom,
  list,
  nonEmptyString,
  object,
  oneOf,
} from '../recording/eventSchema.ts'

/** The public half of a signing key (Ed25519, base64url). From `retired_at` on nothing is verified by it. */
export interface SigningKey extends Omit<DataOf<'SigningKeyAdded'>, 'app_id'> {
  readonly retired_at?: number
}

type DataOf<Type extends AppEvent['type']> = Extract<AppEvent, { type: Type }>['data']

/** An application as its events add up: plain data, and the same in memory and in the read model. */
export interface AppState {
  readonly account: string
  readonly name: string
  readonly settings: AppSettings
  readonly registered_at: number
  /** From then on it serves no one; its id stays taken. */
  readonly retired_at?: number
  readonly migration?: MigrationConfig
  /** As they were added: the last one signs. Of those that are retired, the last. */
  readonly signing_keys: readonly SigningKey[]
}

/** Of the application with this id: ids are names of hosts, so no two accounts share one, for ever. */
export const appStream = (appId: string): string => `app-${appId}`

/** The application after one more event; undefined before it is registered. Throws for an event of one that is not. */
export function evolveApp(state: AppState | undefined, event: AppEvent): AppState {
  if (event.type === 'AppRegistered') {
    const { account_id: account, name, settings, registered_at } = event.data
    return { account, name, settings, registered_at, signing_keys: [] }
  }
  if (!state) throw new Error(`${event.type} of an application that was never registered`)
  switch (event.type) {
    case 'AppSettingsSet':
      return { ...state, settings: event.data.settings }
    case 'AppRetired':
      return { ...state, retired_at: event.data.retired_at }
    case 'SigningKeyAdded': {
      const { app_id: _, ...key } = event.data
      return { ...state, signing_keys: withoutExcess([...state.signing_keys, key]) }
    }
    case 'SigningKeyRetired': {
      const { kid, retired_at } = event.data
      const keys = state.signing_keys.map((key) => (key.kid === kid ? { ...key, retired_at } : key))
      return { ...state, signing_keys: withoutExcess(keys) }
    }
    case 'MigrationConfigSet': {
      const { app_id: _, ...migration } = event.data
      return { ...state, migration }
    }
    case 'MigrationConfigDeleted': {
      const { migration: _, ...rest } = state
      return rest
    }
  }
}

/** Retired keys that are shown. */
const retiredMax = 20

/** Without the first retired ones beyond the limit. */
function withoutExcess(keys: readonly SigningKey[]): readonly SigningKey[] {
  const retired = keys.filter(isRetired)
  const excess = new Set(retired.slice(0, Math.max(0, retired.length - retiredMax)))
  return keys.filter((key) => !excess.has(key))
}

function isRetired({ retired_at }: SigningKey): boolean {
  return retired_at !== undefined
}

/** The keys by which tokens are verified, the one that signs at the end. */
export function listVerifyingKeys({ signing_keys: keys }: AppState): readonly SigningKey[] {
  return keys.filter((key) => !isRetired(key))
}

const dayMs = 24 * 60 * 60 * 1_000
/**
 * How long after a key has signed for the last time tokens are verified by it: twice as long as the longest of them
 * lives.
 */
const verifyingMs = 2 * dayMs

/**
 * The keys that another has followed so long ago that no token of theirs can be valid any more; of an application that
 * is retired all.
 */
export function listSupersededKeys(state: AppState, nowMs: number): readonly SigningKey[] {
  const keys = listVerifyingKeys(state)
  if (state.retired_at !== undefined) return keys
  return keys.filter((_, index) => {
    const next = keys[index + 1]
    return next !== undefined && next.added_at + verifyingMs <= nowMs
  })
}

/** When another key is to follow the one that signs. */
export function computeRotationDueMs(state: AppState): number {
  const { added_at = 0 } = listVerifyingKeys(state).at(-1) ?? {}
  return added_at + state.settings.tokens.signing_key_days * dayMs
}

/** When something is to be done about the keys of an application; undefined for one that is retired and has none. */
export function computeNextKeyActionMs(state: AppState): number | undefined {
  const [first, second] = listVerifyingKeys(state)
  if (state.retired_at !== undefined) return first && 0
  return Math.min(computeRotationDueMs(state), second ? second.added_at + verifyingMs : Infinity)
}

const count = integerFrom(0)

const settings = object({
  tokens: object({
    access_seconds: count,
    refresh_seconds: count,
    session_days: count,
    signing_key_days: count,
  }),
  password: object({
    min_length: count,
    max_length: count,
    uppercase: count,
    lowercase: count,
    numbers: count,
    symbols: count,
  }),
  allowed_origins: list(nonEmptyString),
  password_change_revokes: oneOf(['none', 'others', 'all']),
})

/** The customer's endpoint that validates legacy sessions (spec 2.10). */
const migration = {
  session_validation_url: nonEmptyString,
  created_at: epochMs,
  updated_at: epochMs,
}
export type MigrationConfig = {
  readonly [Name in keyof typeof migration]: TypeOf<(typeof migration)[Name]>
}

/** Times are in milliseconds since the Unix epoch. */
export const appEvents = {
  AppRegistered: defineNonPersonalEvent({
    app_id: nonEmptyString,
    account_id: nonEmptyString,
    name: nonEmptyString,
    settings,
    registered_at: epochMs,
  }),
  /** The settings as a whole, those that stay among them. */
  AppSettingsSet: defineNonPersonalEvent({ app_id: nonEmptyString, settings }),
  AppRetired: defineNonPersonalEvent({ app_id: nonEmptyString, retired_at: epochMs }),
  /**
   * It signs from now on; those before it verify until they are retired. Its private half is a secret of the key store
   * under the same id.
   */
  SigningKeyAdded: defineNonPersonalEvent({
    app_id: nonEmptyString,
    kid: nonEmptyString,
    public_key: nonEmptyString,
    added_at: epochMs,
  }),
  SigningKeyRetired: defineNonPersonalEvent({
    app_id: nonEmptyString,
    kid: nonEmptyString,
    retired_at: epochMs,
  }),
  MigrationConfigSet: defineNonPersonalEvent({ app_id: nonEmptyString, ...migration }),
  MigrationConfigDeleted: defineNonPersonalEvent({ app_id: nonEmptyString }),
}

export type AppEvent = EventOf<typeof appEvents>
