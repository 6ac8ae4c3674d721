/** The sessions of a user, as the user sees them from one of them. */

import type { Call, Written } from '../../domain/call.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import type { SessionView } from './sessionViews.ts'

export interface SessionsAsked {
  readonly limit: number
  /** How many are left out, of those seen last. */
  readonly offset: number
}

/** Spec 4.5. */
export interface SessionsPage extends SessionsAsked {
  readonly sessions: readonly SessionView[]
  /** Of the active ones. */
  readonly total: number
}

/** Which sessions are meant: every one, every other one, the one that it is asked from, or the one that is named. */
export const revokeTargets = ['all', 'others', 'mine', 'session'] as const

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
