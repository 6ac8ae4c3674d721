/** The sessions of the users of an application, as the back ends of their accounts see them. */

import type { Asking, Call, Seen, Written } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import type { SessionDeviceInput } from '../../domain/sessionDevice.ts'
import type { MadeAccessToken } from './accessTokens.ts'
import type { SessionView } from './sessionViews.ts'
import type { UserPlace } from './usersPart.ts'

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

type AnyCall = Call<Principal>

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
    /** The active ones, the one seen last first. */
    readonly list: (place: UserPlace, asking: Asking) => Promise<Seen<readonly SessionView[]>>
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
