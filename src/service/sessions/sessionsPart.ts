/** The sessions' part of the service: the applications of an account, and what each of them is set to. */

import type { AppSettings, AppSettingsInput } from '../../domain/appSettings.ts'
import type { Asking, Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { WithIsoTimes } from '../../domain/isoTime.ts'
import type { Principal } from '../../domain/principal.ts'
import type { FindServedApp, PeekServedApp } from '../../domain/servedApp.ts'
import type { AppState, MigrationConfig, SigningKey } from '../../events/sessions/app.ts'
import type { MigrationPart } from './migrationPart.ts'
import type { OwnSessionsPart } from './ownSessionsPart.ts'
import type { PasswordsPart } from './passwordsPart.ts'
import type { RefreshPart } from './refreshPart.ts'
import type { UserSessionsPart } from './userSessionsPart.ts'
import type { UsersPart } from './usersPart.ts'

/** An application as its account sees it; times in ISO 8601 UTC. */
export interface AppView
  extends WithIsoTimes<
    Pick<AppState, 'name' | 'registered_at' | 'retired_at'>,
    'registered_at' | 'retired_at'
  > {
  readonly app_id: string
  readonly settings: AppSettings
}

/** Spec 2.10. */
export type MigrationConfigView = WithIsoTimes<MigrationConfig, 'created_at' | 'updated_at'>

export type MigrationConfigInput = Pick<MigrationConfig, 'session_validation_url'>

/** The public half of a signing key; times in ISO 8601 UTC. */
export interface SigningKeyView extends WithIsoTimes<SigningKey, 'added_at' | 'retired_at'> {
  /** The newest one signs; those before it verify until they are retired. */
  readonly status: 'signs' | 'verifies' | 'retired'
}

export interface AppInput {
  readonly name: string
  /** Made when it is left out. */
  readonly app_id?: string
  /** What is left out is as usual. */
  readonly settings?: AppSettingsInput
}

/** An application, and the account it is looked for in. */
export interface AppPlace {
  readonly account: string
  readonly appId: string
}

type AnyCall = Call<Principal>

/**
 * Every function on one application throws `app_not_found` when the account has none of the id, or has retired it; questions wait for
 * `minPosition` and throw `unavailable` when it is not reached in time.
 */
export interface SessionsPart
  extends UsersPart,
    PasswordsPart,
    UserSessionsPart,
    OwnSessionsPart,
    RefreshPart,
    MigrationPart {
  /** The application behind a host name. Throws `unavailable` when too many that there are not are asked for. */
  readonly findServedApp: FindServedApp
  /** The same as this instance holds it, for what is answered before anything can be looked for. */
  readonly peekServedApp: PeekServedApp
  readonly apps: {
    /**
     * Throws `conflict` for an id that is taken, whoever has it, and when the account has too many; `invalid_request` for settings that
     * cannot be met, `not_found` for an account that there is not, `unavailable` while it is not known how many there are.
     */
    readonly register: (
      call: AnyCall,
      account: string,
      input: AppInput,
    ) => Promise<Written<AppView>>
    /** In the order they were registered, retired ones among them. */
    readonly list: (
      call: AnyCall,
      account: string,
      page: PageRequest,
    ) => Promise<Seen<Page<AppView>>>
    readonly get: (place: AppPlace, asking: Asking) => Promise<Seen<AppView>>
    /** What the input leaves out stays as it is. */
    readonly configure: (
      call: AnyCall,
      place: AppPlace,
      input: AppSettingsInput,
    ) => Promise<Written<AppView>>
    /** For good: the id stays taken. Again is no error. */
    readonly retire: (call: AnyCall, place: AppPlace) => Promise<Written<void>>
  }
  readonly signingKeys: {
    /** The newest last; of those that are retired the last twenty. */
    readonly list: (place: AppPlace, asking: Asking) => Promise<Seen<readonly SigningKeyView[]>>
    /** Throws `conflict` when too many verify. */
    readonly rotate: (call: AnyCall, place: AppPlace) => Promise<Written<SigningKeyView>>
    /** Again is no error. Throws `not_found` for a key that the application has not, `conflict` for the one that signs. */
    readonly retire: (call: AnyCall, place: AppPlace, kid: string) => Promise<Written<void>>
  }
  readonly migrationConfig: {
    /** Undefined when none is set. */
    readonly get: (
      place: AppPlace,
      asking: Asking,
    ) => Promise<Seen<MigrationConfigView | undefined>>
    /** Throws `invalid_request` for a URL that is not to be called. */
    readonly set: (
      call: AnyCall,
      place: AppPlace,
      input: MigrationConfigInput,
    ) => Promise<Written<MigrationConfigView>>
    /** What is not set is no error. */
    readonly remove: (call: AnyCall, place: AppPlace) => Promise<Written<void>>
  }
}
