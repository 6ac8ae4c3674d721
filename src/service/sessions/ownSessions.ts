/** Lists and ends the sessions of a user, asked from one of them. */

import { revokeSession, revokeSessions } from '../../commands/sessions/revokeSession.ts'
import type { Call } from '../../domain/call.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import { sessionStream } from '../../events/sessions/session.ts'
import { standingUser, type UserStream, userStream } from '../../events/sessions/user.ts'
import { findActiveSessions, isSessionParked } from '../../queries/sessions/sessions.ts'
import { eventContextOf, type ServiceContext, write } from '../opening/serviceContext.ts'
import { notAuthenticated } from './authenticateUser.ts'
import type { OwnSessionsPart, RevokeTarget } from './sessionsPart.ts'
import { openSessions } from './sessionViews.ts'
import { standingIn } from './standingIn.ts'

/** How long the read models may take to show what is in the log. */
const waitMs = 500

type OwnSessions = OwnSessionsPart['ownSessions']

/** How long a list waits for the read models to show what the session that asks has just done. */
const shownMs = 2_000

export function openOwnSessions(context: ServiceContext): OwnSessions {
  return {
    list: async ({ userId, sessionId }, { limit, offset }) => {
      // a refresh is answered before it is shown
      const { position } = await context.sessions.folded(sessionStream(sessionId))
      await context.projections.waitFor(position, shownMs)
      const user = standingUser((await context.users.folded(userStream(userId))).state)
      if (!user) throw notAuthenticated()
      const nowMs = context.clock.nowMs()
      const found = await findActiveSessions(context, { ...user, user: userId, nowMs })
      // the read models may be a moment behind what was ended here or heard of
      const active = found.filter(
        ({ id }) => !context.sessions.peek(sessionStream(id))?.state?.revoked,
      )
      const shown = await openSessions(context, active.slice(offset, offset + limit))
      const sessions = shown.map((one) => ({ ...one, is_current: one.id === sessionId }))
      return { sessions, total: active.length, limit, offset }
    },
    revoke: async (call, revocation) => {
      const { target } = revocation
      if (target === 'all' || target === 'others') return revokeMany(context, call, target)
      const { sessionId } = target === 'session' ? revocation : call.principal
      return revokeOne(context, call, sessionId)
    },
  }
}

async function revokeOne(
  context: ServiceContext,
  call: Call<UserPrincipal>,
  sessionId: string,
): ReturnType<OwnSessions['revoke']> {
  if (!isId(idPrefixes.session, sessionId)) throw notFound()
  const { accountId: account, userId } = call.principal
  const operation = `sessions.revoke ${sessionId}`
  const eventContext = eventContextOf(context, call, { account, operation, input: null })
  const written = await write(context, context.sessions, {
    stream: sessionStream(sessionId),
    context: eventContext,
    decide: revokeSession({ sessionId, userId }, 'user', eventContext.time),
  })
  return { ...written, value: undefined }
}

async function revokeMany(
  context: ServiceContext,
  call: Call<UserPrincipal>,
  target: Extract<RevokeTarget, 'all' | 'others'>,
): ReturnType<OwnSessions['revoke']> {
  const { accountId: account, userId, sessionId } = call.principal
  const operation = `sessions.revoke_${target}`
  const eventContext = eventContextOf(context, call, { account, operation, input: null })
  const kept =
    target === 'others' ? { kept: sessionId, isAlone: await isAlone(context, call.principal) } : {}
  const written = await write(context, context.users, {
    stream: userStream(userId),
    context: eventContext,
    decide: async (user) => {
      // whoever has ended the session that asks, wherever, has done it before this
      const { state } = await context.sessions.catchUp(sessionStream(sessionId))
      const standing = (stream: UserStream) => standingIn(stream, { id: sessionId, state })
      const revoked = { userId, reason: 'user', ...kept } as const
      return revokeSessions(revoked, standing, eventContext.time)(user)
    },
  })
  return { ...written, value: undefined }
}

/**
 * Whether that is known of every session that was started before. It is not while the read models are behind or away, or have set aside
 * what became of any session: who takes it for no ends too much, never too little.
 */
async function isAlone(
  context: ServiceContext,
  { userId, sessionId }: Pick<UserPrincipal, 'userId' | 'sessionId'>,
): Promise<boolean> {
  const head = await context.events.head()
  if (!(await context.projections.waitFor(head, waitMs))) return false
  const user = standingUser((await context.users.catchUp(userStream(userId))).state)
  if (!user) return false
  try {
    if (await isSessionParked(context)) return false
    const asked = { ...user, user: userId, nowMs: context.clock.nowMs() }
    return (await findActiveSessions(context, asked)).every(({ id }) => id === sessionId)
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') return false
    throw error
  }
}
