/** Changes the passwords of users (spec 4.4). */

import type { AppSettings } from '../../domain/appSettings.ts'
import { Failure } from '../../domain/failure.ts'
import { passwordScope } from '../../domain/sessionScopes.ts'
import { isOfEpoch } from '../../events/sessions/activeSession.ts'
import {
  type PasswordChanger,
  type ScopeGrant,
  standingUser,
  type UserEvent,
  type UserState,
  type UserStream,
} from '../../events/sessions/user.ts'
import { ownUser } from './createUser.ts'

/** A password that is to take the place of the one before. */
export interface NewPassword {
  readonly userId: string
  /** One that no other password has. */
  readonly passwordId: string
  /** A PHC string. */
  readonly hash: string
}

interface ByAccount {
  readonly place: { readonly appId: string; readonly account: string }
  readonly revokes: AppSettings['password_change_revokes']
}

/**
 * The decision of the account: all sessions end with the password that was there before, unless the application says that none do. Throws
 * `not_found`.
 */
export function setPassword(password: NewPassword, { place, revokes }: ByAccount, nowMs: number) {
  return (stream: UserStream): readonly UserEvent[] => {
    const user = ownUser(stream, place)
    const changed = passwordChanged(password, { by: 'account' }, nowMs)
    const endsSessions = user.password !== undefined && revokes !== 'none'
    return endsSessions
      ? [changed, sessionsRevoked({ epoch: user.epoch }, password, nowMs)]
      : [changed]
  }
}

interface ByUser {
  /** In which it is changed, and the epoch it was started in. */
  readonly session: { readonly id: string; readonly epoch: number }
  readonly revokes: AppSettings['password_change_revokes']
}

/**
 * The decision of the user: the scope is spent, the password changed and the sessions ended in one. Throws `invalid_api_token` when the
 * session has ended, `insufficient_scope` when no grant is left for it.
 */
export function changeOwnPassword(
  password: NewPassword,
  { session, revokes }: ByUser,
  nowMs: number,
) {
  return (stream: UserStream): readonly UserEvent[] => {
    const user = standingUser(stream)
    if (!user || !isOfEpoch(session, user)) {
      throw new Failure('invalid_api_token', 'The session has ended.')
    }
    const grant = usableGrant(user, session.id, nowMs)
    if (!grant) {
      throw new Failure('insufficient_scope', `The scope ${passwordScope} is missing or used up.`)
    }
    const { userId: user_id } = password
    const { grant_id } = grant
    const used = { user_id, grant_id, session_id: session.id, used_at: nowMs }
    const kept = revokes === 'others' ? { kept_session_id: session.id } : {}
    const spent: readonly UserEvent[] = [
      { type: 'ScopeUsed', data: used },
      passwordChanged(password, { by: 'user', session_id: session.id }, nowMs),
    ]
    if (revokes === 'none') return spent
    return [...spent, sessionsRevoked({ ...kept, epoch: user.epoch }, password, nowMs)]
  }
}

/** The decision: nothing, when the password has been changed since. */
export function rehashPassword(password: NewPassword, replacedId: string, nowMs: number) {
  return (stream: UserStream): readonly UserEvent[] =>
    standingUser(stream)?.password?.password_id === replacedId
      ? [passwordChanged(password, { by: 'rehash' }, nowMs)]
      : []
}

function passwordChanged(
  { userId: user_id, passwordId: password_id, hash }: NewPassword,
  by: { readonly by: PasswordChanger; readonly session_id?: string },
  nowMs: number,
): UserEvent {
  return {
    type: 'PasswordChanged',
    data: { user_id, password_id, hash, ...by, changed_at: nowMs },
  }
}

function sessionsRevoked(
  {
    epoch,
    kept_session_id: kept,
  }: Pick<UserState, 'epoch'> & { readonly kept_session_id?: string },
  { userId: user_id }: NewPassword,
  nowMs: number,
): UserEvent {
  const data = { user_id, epoch: epoch + 1, reason: 'password', revoked_at: nowMs } as const
  return {
    type: 'SessionsRevoked',
    data: kept === undefined ? data : { ...data, kept_session_id: kept },
  }
}

/** Of several the one that ends first. */
function usableGrant(
  { grants }: UserState,
  sessionId: string,
  nowMs: number,
): ScopeGrant | undefined {
  return grants
    .filter(({ scope, expires_at }) => scope === passwordScope && expires_at > nowMs)
    .filter(({ session_id }) => session_id === undefined || session_id === sessionId)
    .toSorted((one, other) => one.expires_at - other.expires_at)[0]
}
