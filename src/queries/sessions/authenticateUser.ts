/** Finds the user of an access token. */

import type { AccessToken } from '../../auth/accessToken.ts'
import { readAccessToken } from '../../commands/sessions/accessTokens.ts'
import { notAuthenticated } from '../../commands/sessions/users/findUser.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import { isActiveSession, sessionStream } from '../../events/sessions/session.ts'
import { userStream } from '../../events/sessions/user.ts'
import type { SessionsQueryContext } from './queryContext.ts'

type Reading = Pick<SessionsQueryContext, 'sessions' | 'users' | 'clock' | 'sessionDomain'>

/**
 * The user of an active session. Nothing is read for a text that the application has not signed. Throws `invalid_api_token` for
 * everything else, the token of a session that is over among it, and `unavailable` when the log cannot be read.
 */
export async function authenticateUser(
  context: Reading,
  app: ServedApp,
  text: string,
): Promise<UserPrincipal> {
  const token = await readAccessToken(context, app, text)
  if (!token || !(await isActive(context, app, token))) throw notAuthenticated()
  const { userId, sessionId, scopes } = token
  return { kind: 'user', accountId: app.account, appId: app.appId, userId, sessionId, scopes }
}

async function isActive(
  { sessions, users, clock }: Reading,
  app: ServedApp,
  { userId, sessionId: id }: AccessToken,
): Promise<boolean> {
  const [{ state }, { state: user }] = await Promise.all([
    sessions.folded(sessionStream(id)),
    users.folded(userStream(userId)),
  ])
  if (!state || state.user !== userId || state.app !== app.appId) return false
  // an application that is retired serves nobody
  return isActiveSession({ id, state }, { user, app: {}, nowMs: clock.nowMs() })
}
