/** Finds an active application by id, and authenticates the user of one of its access tokens. */

import type { AccessTokenClaims } from '../../auth/accessToken.ts'
import type { LimitedLookup } from '../../domain/load/lookupLimits.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import { isAppId } from '../../domain/sessions/appId.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import { type AppState, appStream, listVerifyingKeys } from '../../events/sessions/appEvents.ts'
import { isActiveSession, sessionStream } from '../../events/sessions/session.ts'
import { userStream } from '../../events/sessions/user.ts'
import { verifyAppAccessToken } from '../../state/sessions/accessTokens.ts'
import { notAuthenticated } from '../../state/sessions/findUser.ts'
import type { SessionStreams } from '../../state/sessions/sessionStreamTypes.ts'
import type { QueryContext } from '../reading/queryContext.ts'

/** The application in service, from cache or log. Throws `unavailable` when too many unknown ones are asked for. */
export async function findServedApp(
  { apps, limitAppReads }: Pick<SessionsQueryContext, 'apps' | 'limitAppReads'>,
  appId: string,
): Promise<ServedApp | undefined> {
  if (!isAppId(appId)) return undefined
  const stream = appStream(appId)
  const state = apps.peek(stream)
    ? (await apps.getFolded(stream)).state
    : await limitAppReads(appId, async () => (await apps.catchUp(stream)).state)
  return toServedApp(appId, state)
}

/** Same, from the cache only: it may be out of date or incomplete. */
export function peekServedApp(
  { apps }: Pick<SessionsQueryContext, 'apps'>,
  appId: string,
): ServedApp | undefined {
  return toServedApp(appId, apps.peek(appStream(appId))?.state)
}

function toServedApp(appId: string, state: AppState | undefined): ServedApp | undefined {
  if (!state || state.retired_at !== undefined) return undefined
  const { account, settings } = state
  return { appId, account, settings, keys: listVerifyingKeys(state) }
}

type AppHostContext = Pick<SessionsQueryContext, 'sessions' | 'users' | 'clock' | 'sessionDomain'>

/**
 * The user of an active session. Nothing is read for a text that the application has not signed. Throws
 * `invalid_api_token` for everything else, the token of a session that is over among it, and `unavailable` when the log
 * cannot be read.
 */
export async function authenticateUser(
  context: AppHostContext,
  app: ServedApp,
  text: string,
): Promise<UserPrincipal> {
  const token = await verifyAppAccessToken(context, app, text)
  if (!token) throw notAuthenticated('wrong')
  if (token === 'expired' || !(await isActive(context, app, token))) throw notAuthenticated()
  const { userId, sessionId, scopes } = token
  return { kind: 'user', accountId: app.account, appId: app.appId, userId, sessionId, scopes }
}

async function isActive(
  { sessions, users, clock }: AppHostContext,
  app: ServedApp,
  { userId, sessionId: id }: AccessTokenClaims,
): Promise<boolean> {
  const [{ state }, { state: user }] = await Promise.all([
    sessions.getFolded(sessionStream(id)),
    users.getFolded(userStream(userId)),
  ])
  if (!state || state.user !== userId || state.app !== app.appId) return false
  return isActiveSession({ id, state }, user, clock.nowMs())
}

export interface SessionsQueryContext extends QueryContext, SessionStreams {
  /** Bounds how often the log is read for applications that there are not. */
  readonly limitAppReads: LimitedLookup
}
