/** Decides changes of passwords, and the sessions that end with them (spec 4.4). */

import { Failure } from '../../../domain/failure.ts'
import { passwordScope } from '../../../domain/principal.ts'
import type { AppSettings } from '../../../domain/sessions/appSettings.ts'
import {
  activeUser,
  type PasswordChanger,
  type ScopeGrant,
  type UserEvent,
  type UserState,
  type UserStream,
} from '../../../events/sessions/user.ts'
import type { AppRef } from '../sessionsContext.ts'
import { ownUser } from '../users/findUser.ts'

/** A password that replaces the one before. */
export interface NewPassword {
  readonly userId: string
  /** One that no other password has. */
  readonly passwordId: string
  /** A PHC string. */
  readonly hash: string
}

interface ByAccount {
  readonly app: AppRef
  readonly revokes: AppSettings['password_change_revokes']
}

/**
 * The decision of the account: all sessions end with the password that was there before, unless the application says that none do. Throws
 * `not_found`.
 */
export function decideSet(password: NewPassword, { app, revokes }: ByAccount, nowMs: number) {
  return (stream: UserStream): readonly UserEvent[] => {
    const user = ownUser(stream, app)
    const changed = passwordChanged(password, { by: 'account' }, nowMs)
    const endsSessions = user.password !== undefined && revokes !== 'none'
    return endsSessions
      ? [changed, sessionsRevoked({ epoch: user.epoch }, password, nowMs)]
      : [changed]
  }
}

/** The decision: nothing, when the password has been changed since. */
export function decideRehash(password: NewPassword, replacedId: string, nowMs: number) {
  return (stream: UserStream): readonly UserEvent[] =>
    activeUser(stream)?.password?.password_id === replacedId
      ? [passwordChanged(password, { by: 'rehash' }, nowMs)]
      : []
}

/** The event of a password that replaces the one before. */
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

/** The event by which all sessions end, but for the one that is kept. */
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

interface InSession {
  /** In which it is changed. */
  readonly sessionId: string
  /** The user, while that session goes on. Throws. */
  readonly stillIn: (stream: UserStream) => UserState
  readonly revokes: AppSettings['password_change_revokes']
}

/** The decision. Throws `insufficient_scope` when no grant is left that the session can use, and what `stillIn` throws. */
export function decideOwnChange(
  password: NewPassword,
  { sessionId: session_id, stillIn, revokes }: InSession,
  nowMs: number,
) {
  return (stream: UserStream): readonly UserEvent[] => {
    const user = stillIn(stream)
    const { grant_id } = usableGrant(user, session_id, nowMs)
    const { userId: user_id } = password
    const used = { user_id, grant_id, session_id, used_at: nowMs }
    const changed: readonly UserEvent[] = [
      { type: 'ScopeUsed', data: used },
      passwordChanged(password, { by: 'user', session_id }, nowMs),
    ]
    if (revokes === 'none') return changed
    const kept = revokes === 'others' ? { kept_session_id: session_id } : {}
    return [...changed, sessionsRevoked({ ...kept, epoch: user.epoch }, password, nowMs)]
  }
}

/** Of several the one that ends first. */
function usableGrant({ grants }: UserState, sessionId: string, nowMs: number): ScopeGrant {
  const [grant] = grants
    .filter(({ scope, expires_at }) => scope === passwordScope && expires_at > nowMs)
    .filter(({ session_id }) => session_id === undefined || session_id === sessionId)
    .toSorted((one, other) => one.expires_at - other.expires_at)
  if (grant) return grant
  throw new Failure('insufficient_scope', `The scope '${passwordScope}' has been used, or is over.`)
}
