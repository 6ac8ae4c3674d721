/** Ends one session or all of a user, for the account or for the user. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { isUnavailable, notFound } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import type { Principal, UserPrincipal } from '../../domain/principal.ts'
import {
  type SessionEvent,
  type SessionRevokedReason,
  type SessionState,
  sessionStream,
} from '../../events/sessions/session.ts'
import {
  type AllSessionsRevokedReason,
  findActiveUser,
  type UserEvent,
  userStream,
} from '../../events/sessions/user.ts'
import { findActiveSessions, isSessionParked } from '../../state/sessions/activeSessions.ts'
import { requireActiveApp } from '../../state/sessions/findApp.ts'
import {
  requireOwnUser,
  requireOwnUserInStream,
  requireUserInSession,
} from '../../state/sessions/findUser.ts'
import type { UserRef } from '../../state/sessions/sessionStreamTypes.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'
import type { SessionsContext } from './sessionsContext.ts'

/** How long the read models may take to show what is in the log. */
const waitMs = 500

type RevocationContext = WriteContext &
  Pick<SessionsContext, 'apps' | 'users' | 'sessions' | 'documents'>

/** One that is over is no error. Throws `app_not_found`, and `not_found` when the user never had it. */
export async function revokeUserSession(
  context: RevocationContext,
  call: Call<Principal>,
  { user, sessionId }: { readonly user: UserRef; readonly sessionId: string },
): Promise<WriteResult<unknown>> {
  await requireActiveApp(context, user)
  await requireOwnUser(context, user)
  const { account, userId } = user
  return revokeSession(context, call, { account, userId, sessionId, reason: 'account' })
}

/** Throws `app_not_found`, `not_found`. */
export async function revokeAllUserSessions(
  context: RevocationContext,
  call: Call<Principal>,
  user: UserRef,
): Promise<WriteResult<unknown>> {
  await requireActiveApp(context, user)
  const { account, userId } = user
  const intention = { account, operation: `sessions.revoke_all ${userId}`, input: null }
  return executeAndWait(context, context.users, {
    stream: userStream(userId),
    context: buildEventContext(context, call, intention),
    decide: (state, nowMs) => {
      const { epoch } = requireOwnUserInStream(state, user)
      return [buildSessionsRevoked({ userId, epoch, reason: 'account' }, nowMs)]
    },
  })
}

/** Which sessions are meant: every one, every other one, the one that it is asked from, or the one that is named. */
export const revokeTargets = ['all', 'others', 'mine', 'session'] as const

export interface Revocation {
  readonly target: (typeof revokeTargets)[number]
  /** The one that is named. */
  readonly sessionId?: string | undefined
}

/**
 * Ends sessions of the calling user. An ended one is no error. Throws `not_found` for a session that the user never
 * had, and `invalid_api_token` when the calling session has ended meanwhile.
 */
export async function revokeOwnSessions(
  context: RevocationContext,
  call: Call<UserPrincipal>,
  { target, sessionId: named = '' }: Revocation,
): Promise<WriteResult<unknown>> {
  if (target === 'all' || target === 'others') return revokeManyOwn(context, call, target)
  const { accountId: account, userId, sessionId: own } = call.principal
  const sessionId = target === 'mine' ? own : named
  if (!isId(idPrefixes.session, sessionId)) throw notFound()
  return revokeSession(context, call, { account, userId, sessionId, reason: 'user' })
}

async function revokeSession(
  context: RevocationContext,
  call: Call<Principal>,
  { account, ...revoked }: Revoked & { readonly account: string },
): Promise<WriteResult<unknown>> {
  const { sessionId } = revoked
  const intention = { account, operation: `sessions.revoke ${sessionId}`, input: null }
  return executeAndWait(context, context.sessions, {
    stream: sessionStream(sessionId),
    context: buildEventContext(context, call, intention),
    decide: (state, nowMs) => decideSessionRevocation(state, revoked, nowMs),
  })
}

async function revokeManyOwn(
  context: RevocationContext,
  call: Call<UserPrincipal>,
  target: 'all' | 'others',
): Promise<WriteResult<unknown>> {
  const { accountId: account, userId, sessionId: id } = call.principal
  const intention = { account, operation: `sessions.revoke_${target}`, input: null }
  const eventContext = buildEventContext(context, call, intention)
  const except = target === 'others' ? id : undefined
  const isAlone = except !== undefined && (await isOnlySession(context, call.principal))
  return executeAndWait(context, context.users, {
    stream: userStream(userId),
    context: eventContext,
    // up to the end of the log: the asking session may have been ended on another instance
    gather: () => context.sessions.catchUp(sessionStream(id)),
    decide: (stream, nowMs, { state }) => {
      const { epoch, grants } = requireUserInSession(stream, { id, state })
      const isOfOthers = grants.some(
        ({ session_id, expires_at }) => session_id !== except && expires_at > nowMs,
      )
      // there is nothing to take from any but the exception
      if (isAlone && !isOfOthers) return []
      return [buildSessionsRevoked({ userId, epoch, reason: 'user', except }, nowMs)]
    },
  })
}

/**
 * Whether the asking session is known to be the only one. It is not known while the read models are behind, away, or
 * have parked events of sessions: then all others are ended, which may be more than needed but never less.
 */
async function isOnlySession(
  context: RevocationContext,
  { userId, sessionId }: UserPrincipal,
): Promise<boolean> {
  const head = await context.events.head()
  if (!(await context.projections.waitFor(head, waitMs))) return false
  const user = findActiveUser((await context.users.catchUp(userStream(userId))).state)
  if (!user) return false
  try {
    if (await isSessionParked(context)) return false
    const asked = { ...user, user: userId, nowMs: context.clock.nowMs() }
    return (await findActiveSessions(context, asked)).every(({ id }) => id === sessionId)
  } catch (error) {
    if (isUnavailable(error)) return false
    throw error
  }
}

interface Revoked {
  readonly sessionId: string
  readonly userId: string
  readonly reason: SessionRevokedReason
}

/** One that is over already is no error. Throws `not_found` when the user has none of the id. */
export function decideSessionRevocation(
  state: SessionState | undefined,
  { sessionId, userId, reason }: Revoked,
  nowMs: number,
): readonly SessionEvent[] {
  if (state?.user !== userId) throw notFound()
  if (state.revoked || state.expires_at <= nowMs) return []
  const data = { session_id: sessionId, user_id: userId, reason, revoked_at: nowMs }
  return [{ type: 'SessionRevoked', data }]
}

interface RevokedSessions {
  readonly userId: string
  /** Of the user before. */
  readonly epoch: number
  readonly reason: AllSessionsRevokedReason
  /** The session that goes on. */
  readonly except?: string | undefined
}

/** The event by which all sessions end, those started at the same moment among them, with one exception if given. */
export function buildSessionsRevoked(
  { userId: user_id, epoch, reason, except }: RevokedSessions,
  nowMs: number,
): UserEvent {
  const data = { user_id, epoch: epoch + 1, reason, revoked_at: nowMs }
  return {
    type: 'SessionsRevoked',
    data: except === undefined ? data : { ...data, kept_session_id: except },
  }
}
