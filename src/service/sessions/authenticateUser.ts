/** Who stands behind the access token of a session. */

import type { AccessToken } from '../../auth/accessToken.ts'
import { Failure } from '../../domain/failure.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import { isActiveSession, sessionStream } from '../../events/sessions/session.ts'
import { userStream } from '../../events/sessions/user.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AccessTokens } from './accessTokens.ts'

/**
 * The user of an active session. Nothing is read for a text that the application has not signed. Throws `invalid_api_token` for
 * everything else, the token of a session that is over among it, and `unavailable` when the log cannot be read.
 */
export function openAuthenticateUser(
  context: Pick<ServiceContext, 'sessions' | 'users' | 'clock'>,
  tokens: Pick<AccessTokens, 'read'>,
): (app: ServedApp, token: string) => Promise<UserPrincipal> {
  return async (app, text) => {
    const token = await tokens.read(app, text)
    if (!token || !(await isActive(context, app, token))) throw notAuthenticated()
    const { userId, sessionId, scopes } = token
    return { kind: 'user', accountId: app.account, appId: app.appId, userId, sessionId, scopes }
  }
}

/** What is said to whoever has no token of an active session. */
export function notAuthenticated(): Failure {
  return new Failure('invalid_api_token', 'The access token is missing or not valid.')
}

async function isActive(
  { sessions, users, clock }: Pick<ServiceContext, 'sessions' | 'users' | 'clock'>,
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
