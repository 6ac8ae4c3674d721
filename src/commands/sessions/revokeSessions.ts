/** Ends one session or all of a user, for the account or for the user. */

import type { Call, Written } from '../../domain/call.ts'
import { Failure, mustExist, notFound } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import type { Principal, UserPrincipal } from '../../domain/principal.ts'
import {
  type SessionEvent,
  type SessionRevokedReason,
  type SessionState,
  sessionStream,
} from '../../events/sessions/session.ts'
import {
  activeUser,
  type SessionsRevokedReason,
  type UserEvent,
  type UserState,
  type UserStream,
  userStream,
} from '../../events/sessions/user.ts'
import type { Writing } from '../handling/context.ts'
import { eventContextOf, write } from '../handling/write.ts'
import { findOwnApp } from './apps/ownApp.ts'
import type { SessionsContext, UserRef } from './sessionsContext.ts'
import { findOwnUser, ownUser, userInSession } from './users/findUser.ts'

/** How long the read models may take to show what is in the log. */
const waitMs = 500

type Revoking = Writing & Pick<SessionsContext, 'apps' | 'users' | 'sessions' | 'reads'>

interface SessionOfUser {
  readonly user: UserRef
  readonly sessionId: string
}

/** One that is over is no error. Throws `app_not_found`, and `not_found` when the user never had it. */
export async function revokeUserSession(
  context: Revoking,
  call: Call<Principal>,
  { user, sessionId }: SessionOfUser,
): Promise<Written<void>> {
  await findOwnApp(context, user)
  await findOwnUser(context, user)
  const { account, userId } = user
  return revokeSession(context, call, { account, userId, sessionId, reason: 'account' })
}

/** Throws `app_not_found`, `not_found`. */
export async function revokeUserSessions(
  context: Revoking,
  call: Call<Principal>,
  user: UserRef,
): Promise<Written<void>> {
  await findOwnApp(context, user)
  const { account, userId } = user
  const intention = { account, operation: `sessions.revoke_all ${userId}`, input: null }
  const eventContext = eventContextOf(context, call, intention)
  const find = (stream: UserStream): UserState => ownUser(stream, user)
  const written = await write(context, context.users, {
    stream: userStream(userId),
    context: eventContext,
    decide: decideRevocations({ userId, reason: 'account' }, find, eventContext.time),
  })
  return { ...written, value: undefined }
}

/** Which sessions are meant: every one, every other one, the one that it is asked from, or the one that is named. */
export const revokeTargets = ['all', 'others', 'mine', 'session'] as const

type RevokeTarget = (typeof revokeTargets)[number]

export type Revocation =
  | { readonly target: Exclude<RevokeTarget, 'session'> }
  | { readonly target: 'session'; readonly sessionId: string }

/**
 * Ends sessions of the calling user. An ended one is no error. Throws `not_found` for a session that the user never had, and
 * `invalid_api_token` when the calling session has ended meanwhile.
 */
export async function revokeOwnSessions(
  context: Revoking,
  call: Call<UserPrincipal>,
  revocation: Revocation,
): Promise<Written<void>> {
  const { target } = revocation
  if (target === 'all' || target === 'others') return revokeManyOwn(context, call, target)
  const { sessionId } = target === 'session' ? revocation : call.principal
  if (!isId(idPrefixes.session, sessionId)) throw notFound()
  const { accountId: account, userId } = call.principal
  return revokeSession(context, call, { account, userId, sessionId, reason: 'user' })
}

interface SessionToRevoke extends Revoked {
  readonly account: string
  readonly reason: SessionRevokedReason
}

async function revokeSession(
  context: Revoking,
  call: Call<Principal>,
  { account, reason, ...session }: SessionToRevoke,
): Promise<Written<void>> {
  const operation = `sessions.revoke ${session.sessionId}`
  const eventContext = eventContextOf(context, call, { account, operation, input: null })
  const written = await write(context, context.sessions, {
    stream: sessionStream(session.sessionId),
    context: eventContext,
    decide: decideRevocation(session, reason, eventContext.time),
  })
  return { ...written, value: undefined }
}

async function revokeManyOwn(
  context: Revoking,
  call: Call<UserPrincipal>,
  target: Extract<RevokeTarget, 'all' | 'others'>,
): Promise<Written<void>> {
  const { accountId: account, userId, sessionId } = call.principal
  const operation = `sessions.revoke_${target}`
  const eventContext = eventContextOf(context, call, { account, operation, input: null })
  const kept =
    target === 'others' ? { kept: sessionId, isAlone: await isAlone(context, call.principal) } : {}
  const written = await write(context, context.users, {
    stream: userStream(userId),
    context: eventContext,
    decide: async (user) => {
      // up to the end of the log: the asking session may have been ended on another instance
      const { state } = await context.sessions.catchUp(sessionStream(sessionId))
      const stillIn = (stream: UserStream) => userInSession(stream, { id: sessionId, state })
      const revoked = { userId, reason: 'user', ...kept } as const
      return decideRevocations(revoked, stillIn, eventContext.time)(user)
    },
  })
  return { ...written, value: undefined }
}

/**
 * Whether the asking session is known to be the only one. It is not known while the read models are behind, away, or have parked events of
 * sessions: then all others are ended, which may be more than needed but never less.
 */
async function isAlone(
  context: Revoking,
  { userId, sessionId }: Pick<UserPrincipal, 'userId' | 'sessionId'>,
): Promise<boolean> {
  const head = await context.events.head()
  if (!(await context.projections.waitFor(head, waitMs))) return false
  const user = activeUser((await context.users.catchUp(userStream(userId))).state)
  if (!user) return false
  try {
    if (await context.reads.isSessionParked()) return false
    const asked = { ...user, user: userId, nowMs: context.clock.nowMs() }
    return (await context.reads.findActiveSessions(asked)).every(({ id }) => id === sessionId)
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') return false
    throw error
  }
}

interface Revoked {
  readonly sessionId: string
  readonly userId: string
}

/** One that is over already is no error. Throws `not_found` when the user has none of the id. */
export function decideRevocation(
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
 * All sessions at once, whatever is started at the same moment among them; none where there is nothing to take from anyone
 * but the one that goes on. `find` throws when there is no such user.
 */
function decideRevocations(
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
