/** A user changes the password: the scope is spent, the password changed and the sessions ended, all in one (spec 4.4). */

import type { AppSettings } from '../../domain/appSettings.ts'
import { Failure } from '../../domain/failure.ts'
import { passwordScope } from '../../domain/sessionScopes.ts'
import type { ScopeGrant, UserEvent, UserState, UserStream } from '../../events/sessions/user.ts'
import { type NewPassword, passwordChanged, sessionsRevoked } from './changePassword.ts'

interface InSession {
  /** In which it is changed. */
  readonly sessionId: string
  /** The user, while that session goes on. Throws. */
  readonly standing: (stream: UserStream) => UserState
  readonly revokes: AppSettings['password_change_revokes']
}

/** The decision. Throws `insufficient_scope` when no grant is left that the session can use, and what `standing` throws. */
export function changeOwnPassword(
  password: NewPassword,
  { sessionId: session_id, standing, revokes }: InSession,
  nowMs: number,
) {
  return (stream: UserStream): readonly UserEvent[] => {
    const user = standing(stream)
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
