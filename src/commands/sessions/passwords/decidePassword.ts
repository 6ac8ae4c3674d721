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
import { sessionsRevoked } from '../revokeSessions.ts'

/** A password that replaces the one before. */
export interface NewPassword {
  readonly userId: string
  /** One that no other password has. */
  readonly passwordId: string
  /** A PHC string. */
  readonly hash: string
}

type Revokes = AppSettings['password_change_revokes']

/** Set by the account: all sessions end with the password that was there before, unless the application says that none do. */
export function decideSet(
  { password: before, epoch }: UserState,
  password: NewPassword,
  { revokes, nowMs }: { readonly revokes: Revokes; readonly nowMs: number },
): readonly UserEvent[] {
  const changed = passwordChanged(password, { by: 'account' }, nowMs)
  if (before === undefined || revokes === 'none') return [changed]
  const { userId } = password
  return [changed, sessionsRevoked({ userId, epoch, reason: 'password' }, nowMs)]
}

/** The same password hashed again; no event when it has been changed since. */
export function decideRehash(
  stream: UserStream,
  password: NewPassword,
  { replacedId, nowMs }: { readonly replacedId: string; readonly nowMs: number },
): readonly UserEvent[] {
  return activeUser(stream)?.password?.password_id === replacedId
    ? [passwordChanged(password, { by: 'rehash' }, nowMs)]
    : []
}

interface OwnChange {
  /** The session in which it is changed. */
  readonly sessionId: string
  readonly revokes: Revokes
  readonly nowMs: number
}

/** Changed by the user. Throws `insufficient_scope` when no grant is left that the session can use. */
export function decideOwnChange(
  user: UserState,
  password: NewPassword,
  { sessionId: session_id, revokes, nowMs }: OwnChange,
): readonly UserEvent[] {
  const { userId } = password
  const { grant_id } = usableGrant(user, session_id, nowMs)
  const used = { user_id: userId, grant_id, session_id, used_at: nowMs }
  const changed: readonly UserEvent[] = [
    { type: 'ScopeUsed', data: used },
    passwordChanged(password, { by: 'user', session_id }, nowMs),
  ]
  if (revokes === 'none') return changed
  const except = revokes === 'others' ? session_id : undefined
  const { epoch } = user
  return [...changed, sessionsRevoked({ userId, epoch, reason: 'password', except }, nowMs)]
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

/** Of several the one that ends first. */
function usableGrant({ grants }: UserState, sessionId: string, nowMs: number): ScopeGrant {
  const [grant] = grants
    .filter(({ scope, expires_at }) => scope === passwordScope && expires_at > nowMs)
    .filter(({ session_id = sessionId }) => session_id === sessionId)
    .toSorted((one, other) => one.expires_at - other.expires_at)
  if (grant) return grant
  throw new Failure('insufficient_scope', `The scope '${passwordScope}' has been used, or is over.`)
}
