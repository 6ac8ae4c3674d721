/** Grants a scope to sessions of a user, for one use. */

import { grantScopes, ownUser } from '../../commands/sessions/createUser.ts'
import { mustExist } from '../../domain/failure.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { appStream } from '../../events/sessions/app.ts'
import { isActiveSession, sessionStream } from '../../events/sessions/session.ts'
import { type UserState, userStream } from '../../events/sessions/user.ts'
import { eventContextOf, type ServiceContext, write } from '../opening/serviceContext.ts'
import { ownAppNow } from './ownAppNow.ts'
import type { UserPlace, UserSessionsPart } from './sessionsPart.ts'

type Grant = UserSessionsPart['userSessions']['grant']

/** How long a grant can be used unless it is said otherwise. */
export const grantSeconds = 300

export function openGrant(context: ServiceContext): Grant {
  return async (call, place, input) => {
    await ownAppNow(context, place)
    await userNow(context, place)
    const { account, userId } = place
    const { scope, session_id: sessionId, seconds = grantSeconds } = input
    if (sessionId !== undefined) await assertActive(context, place, sessionId)
    const intention = { account, operation: `scopes.grant ${userId}`, input }
    const eventContext = eventContextOf(context, call, intention)
    const { command: grantId, time } = eventContext
    const lifetimeMs = seconds * 1_000
    const written = await write(context, context.users, {
      stream: userStream(userId),
      context: eventContext,
      decide: grantScopes(
        { userId, place, grants: [{ grantId, scope }], sessionId, lifetimeMs },
        time,
      ),
    })
    const [granted] = written.value.events
    const at = granted?.type === 'ScopeGranted' ? granted.data.granted_at : time
    return {
      ...written,
      value: {
        scope,
        ...(sessionId !== undefined && { session_id: sessionId }),
        granted_at: isoTime(at),
        expires_at: isoTime(at + lifetimeMs),
      },
    }
  }
}

/** Throws `not_found` for a session that is not the user's, or is over. */
async function assertActive(
  context: ServiceContext,
  { appId, userId }: UserPlace,
  id: string,
): Promise<void> {
  const [session, user, app] = await Promise.all([
    context.sessions.catchUp(sessionStream(id)),
    context.users.folded(userStream(userId)),
    context.apps.folded(appStream(appId)),
  ])
  const state = mustExist(session.state?.user === userId ? session.state : undefined)
  const nowMs = context.clock.nowMs()
  const isActive = isActiveSession({ id, state }, { user: user.state, app: app.state, nowMs })
  mustExist(isActive ? state : undefined)
}

/** The user as the log has them. Throws `not_found`. */
export async function userNow(
  { users }: Pick<ServiceContext, 'users'>,
  place: UserPlace,
): Promise<UserState> {
  return ownUser((await users.catchUp(userStream(place.userId))).state, place)
}
