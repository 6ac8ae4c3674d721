/** The sessions’ part of the service: the applications of an account, their users, and the sessions and passwords of these. */

import type { AppSettings, AppSettingsInput } from '../../domain/appSettings.ts'
import type { Asking, Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import type { WithIsoTimes } from '../../domain/isoTime.ts'
import type { Principal, UserPrincipal } from '../../domain/principal.ts'
import type { FindServedApp, PeekServedApp, ServedApp } from '../../domain/servedApp.ts'
import type { SessionDeviceInput } from '../../domain/sessionDevice.ts'
import type { AppState, MigrationConfig, SigningKey } from '../../events/sessions/app.ts'
import type { MadeAccessToken } from './accessTokens.ts'
import type { MigrationPart } from './migrationPart.ts'
import type { RefreshPart } from './refreshPart.ts'
import type { SessionView } from './sessionViews.ts'

/** Which sessions are meant: every one, every other one, the one that it is asked from, or the one that is named. */
export const revokeTargets = ['all', 'others', 'mine', 'session'] as const

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

/** Times in ISO 8601 UTC. */
export interface UserView {
  readonly id: string
  /** None of a person who was erased. */
  readonly identifiers: readonly Identifier[]
  readonly created_at: string
}

export interface UserInput {
  readonly identifiers: readonly Identifier[]
}

/** Users of an application: all of them, or the one with an identifier. */
export interface UsersAsked extends PageRequest {
  readonly identifier?: Identifier
}

/** A user, and the application that they are looked for in. */
export interface UserPlace extends AppPlace {
  readonly userId: string
}

/**
 * Every function throws `app_not_found` for an application that the account has not, and `not_found` for a user whom the application has
 * not, or not any more. Those of an application that is retired can be found and deleted, and no more are created.
 */
export interface UsersPart {
  readonly users: {
    /**
     * Throws `identifier_already_exists` when another user of the application has one of the identifiers, `invalid_request` for what is
     * none, and `conflict` when another request is about to take one of them.
     */
    readonly create: (
      call: AnyCall,
      place: AppPlace,
      input: UserInput,
    ) => Promise<Written<UserView>>
    /** In the order in which they were created. Throws `invalid_request` for what is no cursor, or no identifier. */
    readonly list: (
      call: AnyCall,
      place: AppPlace,
      asked: UsersAsked,
    ) => Promise<Seen<Page<UserView>>>
    readonly get: (place: UserPlace, asking: Asking) => Promise<Seen<UserView>>
    /** Erases what is known of the person; all sessions end. Again is no error. */
    readonly remove: (call: AnyCall, place: UserPlace) => Promise<Written<void>>
  }
}

export interface SessionInput extends SessionDeviceInput {
  /** What the session may do once, within minutes. */
  readonly scopes?: readonly string[]
}

/** A session that has just been started. */
export interface StartedSession extends MadeAccessToken {
  readonly session: SessionView
  readonly refresh_token: string
  /** ISO 8601 UTC. */
  readonly refresh_token_expires_at: string
}

export interface ScopeInput {
  readonly scope: string
  /** The one session it is for; any of the user's unless given. */
  readonly session_id?: string
  /** How long it can be used. */
  readonly seconds?: number
}

/** Times in ISO 8601 UTC. */
export interface ScopeView {
  readonly scope: string
  readonly session_id?: string
  readonly granted_at: string
  readonly expires_at: string
}

/**
 * Every function throws `app_not_found` for an application that the account has not, and `not_found` for a user whom the application has
 * not, or not any more.
 */
export interface UserSessionsPart {
  readonly userSessions: {
    /**
     * Whoever has too many sessions loses those seen longest ago. Throws `invalid_request`, and `conflict` when all sessions of the user
     * were revoked at the same moment.
     */
    readonly start: (
      call: AnyCall,
      place: UserPlace,
      input: SessionInput,
    ) => Promise<Written<StartedSession>>
    /** The active ones, the one seen last first. Throws `invalid_request` for what is no cursor. */
    readonly list: (place: UserPlace, page: PageRequest) => Promise<Seen<Page<SessionView>>>
    /** One that is over is no error. Throws `not_found` when the user never had it. */
    readonly revoke: (call: AnyCall, place: UserPlace, sessionId: string) => Promise<Written<void>>
    readonly revokeAll: (call: AnyCall, place: UserPlace) => Promise<Written<void>>
    /** The next access token has the scope. Throws `not_found` for a session that the user has not, or that is over. */
    readonly grant: (
      call: AnyCall,
      place: UserPlace,
      input: ScopeInput,
    ) => Promise<Written<ScopeView>>
  }
}

export interface PasswordInput {
  readonly password: string
}

export interface PasswordCheck {
  readonly valid: boolean
}

/**
 * Every function throws `app_not_found` for an application that the account has not, `invalid_request` for what is no Unicode text, and
 * `rate_limited` or `unavailable` when too many passwords are being hashed.
 */
export interface PasswordsPart {
  readonly passwords: {
    /**
     * The back end gives a user a password. Every session ends with the password before, unless the application says that none does.
     * Throws `invalid_password` for one that the application does not take, `not_found` for a user whom it has not.
     */
    readonly set: (call: AnyCall, place: UserPlace, input: PasswordInput) => Promise<Written<void>>
    /** Whether the user has this password. A user whom there is not has none, which takes as long to find out. */
    readonly check: (
      call: AnyCall,
      place: UserPlace,
      input: PasswordInput,
    ) => Promise<PasswordCheck>
    /**
     * The user gives themself a password, in a session that has been granted the scope for it, which is used up by that. The other
     * sessions end, none or all, as the application says. Throws `invalid_password`, `insufficient_scope` when the grant was used or is
     * over, and `invalid_api_token` when the session has ended.
     */
    readonly changeOwn: (call: Call<UserPrincipal>, input: PasswordInput) => Promise<Written<void>>
  }
}

export interface SessionsAsked {
  readonly limit: number
  /** How many are left out, of those seen last. */
  readonly offset: number
}

export interface OwnSessionView extends SessionView {
  /** Whether it is the one that asks. */
  readonly is_current: boolean
}

/** Spec 4.5. */
export interface SessionsPage extends SessionsAsked {
  readonly sessions: readonly OwnSessionView[]
  /** Of the active ones. */
  readonly total: number
}

export type RevokeTarget = (typeof revokeTargets)[number]

export type Revocation =
  | { readonly target: Exclude<RevokeTarget, 'session'> }
  | { readonly target: 'session'; readonly sessionId: string }

export interface OwnSessionsPart {
  /** Throws `invalid_api_token` unless it is the access token of an active session of the application; `unavailable`. */
  readonly authenticateUser: (app: ServedApp, token: string) => Promise<UserPrincipal>
  readonly ownSessions: {
    /** The active ones: the one seen last first, of those seen at the same moment the one of the greatest id. */
    readonly list: (user: UserPrincipal, asked: SessionsAsked) => Promise<SessionsPage>
    /**
     * Ends them everywhere. One that is over is no error. Throws `not_found` for a session that the user never had, and
     * `invalid_api_token` when the one that it is asked from has ended meanwhile.
     */
    readonly revoke: (call: Call<UserPrincipal>, revocation: Revocation) => Promise<Written<void>>
  }
}
