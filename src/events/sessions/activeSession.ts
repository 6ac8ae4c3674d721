/** When a session counts: one rule for tokens, refreshes and lists. */

import type { AppState } from './app.ts'
import type { SessionState } from './session.ts'
import { standingUser, type UserState, type UserStream } from './user.ts'

interface Standing {
  /** Of the session's user. */
  readonly user: UserStream
  /** Of the session's application. */
  readonly app: Pick<AppState, 'retired_at'> | undefined
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number
}

/** Whether the session is active. A session that was started while all were revoked is not: it is of the epoch before. */
export function isActiveSession(
  session: { readonly id: string; readonly state: SessionState },
  { user: stream, app, nowMs }: Standing,
): boolean {
  const { id, state } = session
  const user = standingUser(stream)
  if (!user || !app || app.retired_at !== undefined) return false
  const isOver = state.revoked !== undefined || state.expires_at <= nowMs
  return !isOver && isOfEpoch({ id, epoch: state.epoch }, user)
}

/** Whether the session was not revoked with all others of its user. */
export function isOfEpoch(
  { id, epoch }: { readonly id: string; readonly epoch: number },
  user: Pick<UserState, 'epoch' | 'kept_session_id'>,
): boolean {
  return epoch === user.epoch || user.kept_session_id === id
}
