/** The sessions of the users of an application: listed, ended, let do more. */

import { ownUser } from '../../commands/sessions/createUser.ts'
import { revokeSession, revokeSessions } from '../../commands/sessions/revokeSession.ts'
import { sessionStream } from '../../events/sessions/session.ts'
import { userStream } from '../../events/sessions/user.ts'
import { reached } from '../../queries/reading/reached.ts'
import { listActiveSessions } from '../../queries/sessions/sessions.ts'
import { eventContextOf, type ServiceContext, write } from '../opening/serviceContext.ts'
import type { AccessTokens } from './accessTokens.ts'
import { openGrant, userNow } from './grantScope.ts'
import { ownAppNow } from './ownAppNow.ts'
import type { UserSessionsPart } from './sessionsPart.ts'
import { openSessions } from './sessionViews.ts'
import { openStart } from './startSession.ts'

type Sessions = UserSessionsPart['userSessions']

/** The commands and the question about them. */
export function openUserSessions(context: ServiceContext, tokens: AccessTokens): Sessions {
  return {
    start: openStart(context, tokens),
    list: openList(context),
    revoke: openRevoke(context),
    revokeAll: openRevokeAll(context),
    grant: openGrant(context),
  }
}

function openList(context: ServiceContext): Sessions['list'] {
  return async (place, { minPosition, ...page }) => {
    const position = await reached(context, minPosition)
    await ownAppNow(context, place)
    const user = await userNow(context, place)
    const nowMs = context.clock.nowMs()
    const asked = { ...user, user: place.userId, nowMs, ...page }
    const found = await listActiveSessions(context, asked)
    return { value: { ...found, items: await openSessions(context, found.items) }, position }
  }
}

function openRevoke(context: ServiceContext): Sessions['revoke'] {
  return async (call, place, sessionId) => {
    await ownAppNow(context, place)
    await userNow(context, place)
    const { account, userId } = place
    const intention = { account, operation: `sessions.revoke ${sessionId}`, input: null }
    const eventContext = eventContextOf(context, call, intention)
    const written = await write(context, context.sessions, {
      stream: sessionStream(sessionId),
      context: eventContext,
      decide: revokeSession({ sessionId, userId }, 'account', eventContext.time),
    })
    return { ...written, value: undefined }
  }
}

function openRevokeAll(context: ServiceContext): Sessions['revokeAll'] {
  return async (call, place) => {
    await ownAppNow(context, place)
    const { account, userId } = place
    const intention = { account, operation: `sessions.revoke_all ${userId}`, input: null }
    const eventContext = eventContextOf(context, call, intention)
    const written = await write(context, context.users, {
      stream: userStream(userId),
      context: eventContext,
      decide: revokeSessions(
        { userId, reason: 'account' },
        (stream) => ownUser(stream, place),
        eventContext.time,
      ),
    })
    return { ...written, value: undefined }
  }
}
