/** Ends sessions: one, or all of a user. */

import { mustExist } from '../../domain/failure.ts'
import type {
  SessionEvent,
  SessionRevokedReason,
  SessionState,
} from '../../events/sessions/session.ts'
import type {
  SessionsRevokedReason,
  UserEvent,
  UserState,
  UserStream,
} from '../../events/sessions/user.ts'

interface Revoked {
  readonly sessionId: string
  readonly userId: string
}

/** The decision: one that is over already is no error. Throws `not_found` when the user has none of the id. */
export function revokeSession(
  { sessionId, userId }: Revoked,
  reason: SessionRevokedReason,
  nowMs: number,
) {
  return (state: SessionState | undefined): readonly SessionEvent[] => {
    const session = mustExist(state?.user === userId ? state : undefined)
    if (session.revoked || session.expires_at <= nowMs) return []
    const data = { session_id: sessionId, user_id: userId, reason, revoked_at: nowMs }
    return [{ type: 'SessionRevoked', data }]
  }
}

interface AllRevoked {
  readonly userId: string
  readonly reason: SessionsRevokedReason
  /** The one that goes on. */
  readonly kept?: string
  /** Whether that one is known to be the only one. */
  readonly isAlone?: boolean
}

/**
 * The decision: all sessions at once, whatever is started at the same moment among them; none where there is nothing to take from anyone
 * but the one that goes on. `find` throws when there is no such user.
 */
export function revokeSessions(
  { userId, reason, kept, isAlone = false }: AllRevoked,
  find: (stream: UserStream) => Pick<UserState, 'epoch' | 'grants'>,
  nowMs: number,
) {
  return (stream: UserStream): readonly UserEvent[] => {
    const { epoch, grants } = find(stream)
    const isOfOthers = grants.some(
      ({ session_id, expires_at }) => session_id !== kept && expires_at > nowMs,
    )
    if (isAlone && !isOfOthers) return []
    const data = { user_id: userId, epoch: epoch + 1, reason, revoked_at: nowMs }
    return [
      {
        type: 'SessionsRevoked',
        data: kept === undefined ? data : { ...data, kept_session_id: kept },
      },
    ]
  }
}
