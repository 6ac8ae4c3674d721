/** Starts a session for a user whom a back end signed in; ends sessions beyond the user's limit. */

import { deriveFirstRefreshToken } from '../../auth/refreshToken.ts'
import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest, isUnavailable } from '../../domain/failure.ts'
import { deriveId } from '../../domain/ids.ts'
import {
  closedObject,
  openObject,
  optional,
  type TypeOf,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import type { Principal } from '../../domain/principal.ts'
import { computeSessionEndMs } from '../../domain/sessions/appSettings.ts'
import {
  invisibleTextFields,
  normalizeSessionDevice,
  sessionDeviceFields,
} from '../../domain/sessions/sessionDevice.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { uuidV5 } from '../../domain/uuid.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { isOfEpoch, type SessionEvent, sessionStream } from '../../events/sessions/session.ts'
import { type UserState, userStream } from '../../events/sessions/user.ts'
import {
  requireSigner,
  type SigningContext,
  signAccessToken,
} from '../../state/sessions/accessTokens.ts'
import { findActiveSessions } from '../../state/sessions/activeSessions.ts'
import { requireActiveApp } from '../../state/sessions/findApp.ts'
import { requireOwnUser } from '../../state/sessions/findUser.ts'
import type { UserRef } from '../../state/sessions/sessionStreamTypes.ts'
import { buildSessionView, sessionSchema } from '../../state/sessions/views.ts'
import type { ErasureContext } from '../handling/commandContext.ts'
import {
  buildEventContext,
  buildFollowUpContext,
  executeCommand,
  waitUntilVisible,
} from '../handling/executeCommand.ts'
import { decideGrants, grantSeconds, scopeNameSchema } from './grantScope.ts'
import { decideSessionRevocation } from './revokeSessions.ts'
import type { SessionsContext } from './sessionsContext.ts'
import { eraseDeletedUser } from './users/users.ts'

/** Concurrent starts may exceed it by a few; the next start ends those, too. */
const sessionsMax = 100
/** How many are ended by one start. */
const excessMax = 20
/** Namespace of the ids of the grants that a session begins with. */
const namespace = '1f0c9b7e-66d3-5a0b-8a35-94e2b1c07d58'

export const sessionInputSchema = closedObject('SessionInput', {
  ...sessionDeviceFields,
  scopes: optional({
    type: 'array',
    maxItems: 10,
    uniqueItems: true,
    items: scopeNameSchema,
    description: 'Scopes for one use within five minutes.',
  }),
})
type SessionInput = TypeOf<typeof sessionInputSchema>

/** A session that has just been started. */
export const startedSessionSchema = openObject('StartedSession', {
  session: sessionSchema,
  refresh_token: {
    type: 'string',
    description: "For the user's device; shown once, stored as a hash.",
  },
  refresh_token_expires_at: timeSchema,
  access_token: { type: 'string', description: 'A JWT signed with a key of the application.' },
  expires_at: {
    type: 'integer',
    description: 'When the access token expires, in seconds since the Unix epoch.',
  },
})
export type StartedSession = TypeOf<typeof startedSessionSchema>

export type StartSessionContext = ErasureContext &
  SigningContext &
  Pick<SessionsContext, 'users' | 'sessions'>

/**
 * A user with too many sessions loses the least recently seen. Throws `app_not_found`, `not_found`, `invalid_request`,
 * and `conflict` when all sessions of the user were revoked at the same moment.
 */
export async function startSession(
  context: StartSessionContext,
  call: Call<Principal>,
  { user: ref, input }: { readonly user: UserRef; readonly input: SessionInput },
): Promise<WriteResult<StartedSession>> {
  // 1. Find the application, its signing key and the user: a start that could not be answered is not begun.
  const { account, appId, userId } = ref
  const { scopes = [] } = input
  const unshown = invisibleTextFields(input)
  if (unshown.length > 0) {
    const message = 'Must be visible characters.'
    throw invalidRequest(unshown.map((path) => ({ path, message })))
  }
  const device = normalizeSessionDevice(input)
  await requireActiveApp(context, ref)
  const user = await requireOwnUser(context, ref)
  const signer = await requireSigner(context, appId)

  // 2. Find the sessions beyond the limit and grant the first scopes, unless this call comes again.
  const operation = `sessions.start ${userId}`
  const intention = { account, operation, input: { ...device, scopes }, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  const sessionId = deriveId('ses', eventContext.command, 'session')
  const stream = sessionStream(sessionId)
  const isNew = (await context.sessions.catchUp(stream)).state === undefined
  const excess = isNew ? await findExcessSessions(context, userId, user) : []
  if (isNew) await grantFirstScopes(context, eventContext, { user: ref, sessionId, scopes })

  // 3. Append, and check that the user was not deleted or signed out meanwhile.
  const token = deriveFirstRefreshToken({ appId, sessionId }, context.keyring.digest)
  const { epoch } = user
  const session = {
    session_id: sessionId,
    user_id: userId,
    app_id: appId,
    account_id: account,
    epoch,
    device,
    refresh_token_hash: token.hash,
    scopes,
  }
  const { events, position, repeated } = await executeCommand(context, context.sessions, {
    stream,
    context: eventContext,
    decide: (state, nowMs): readonly SessionEvent[] => {
      if (state) throw new Error('a session was started twice')
      const { tokens: lifetimes } = signer.settings
      const expires_at = computeSessionEndMs(lifetimes, { startedAt: nowMs, nowMs })
      return [{ type: 'SessionStarted', data: { ...session, started_at: nowMs, expires_at } }]
    },
  })
  const [started] = events
  if (started?.type !== 'SessionStarted') throw new Error('a session was not started')
  if (!repeated) await assertStillActive(context, call, { user: ref, sessionId, epoch })

  // 4. End the sessions beyond the limit, and answer.
  const endedAt = await revokeExcess(context, eventContext, { userId, excess })
  const { started_at, expires_at } = started.data
  const state = { user: userId, generation: 0, scopes, last_seen_at: started_at, expires_at }
  const of = { signer, id: sessionId, state, countryCode: device.country_code }
  const value = {
    session: buildSessionView(sessionId, { ...state, started_at, device }),
    refresh_token: token.text,
    refresh_token_expires_at: isoTime(expires_at),
    ...(await signAccessToken(context, of)),
  }
  // after the ends as well, so that a list with the new session is within the limit
  return { ...(await waitUntilVisible(context, { position: Math.max(position, endedAt) })), value }
}

interface NewSession {
  readonly user: UserRef
  readonly sessionId: string
}

/** Recorded on the stream of the user, where a grant is used up. */
async function grantFirstScopes(
  context: StartSessionContext,
  eventContext: EventContext,
  { user, sessionId, scopes }: Required<Pick<SessionInput, 'scopes'>> & NewSession,
): Promise<void> {
  if (scopes.length === 0) return
  const grants = scopes.map((scope) => ({
    grantId: uuidV5(namespace, `${eventContext.command} ${scope}`),
    scope,
  }))
  const granting = { user, grants, sessionId, lifetimeMs: grantSeconds * 1_000 }
  await executeCommand(context, context.users, {
    stream: userStream(user.userId),
    context: buildFollowUpContext(context, eventContext),
    decide: (state, nowMs) => decideGrants(state, granting, nowMs),
  })
}

/**
 * Throws `conflict` when all sessions of the user were revoked while this one was started, since it is one of them;
 * `not_found` when the user was deleted, whose data is erased then.
 */
async function assertStillActive(
  context: StartSessionContext,
  call: Call<Principal>,
  { user: ref, sessionId, epoch }: Pick<UserState, 'epoch'> & NewSession,
): Promise<void> {
  try {
    const user = await requireOwnUser(context, ref)
    if (isOfEpoch({ id: sessionId, epoch }, user)) return
  } catch (error) {
    await eraseDeletedUser(context, call, ref)
    throw error
  }
  throw new Failure('conflict', 'The sessions of the user were revoked meanwhile; try again.', {
    retryAfterSeconds: 1,
  })
}

/** Those seen longest ago, so that one more fits; none while the read models are away, so that a start succeeds. */
async function findExcessSessions(
  context: StartSessionContext,
  userId: string,
  user: UserState,
): Promise<readonly string[]> {
  try {
    const asked = { ...user, user: userId, nowMs: context.clock.nowMs() }
    const active = await findActiveSessions(context, asked)
    const excess = active.slice(sessionsMax - 1).slice(-excessMax)
    return excess.map(({ id }) => id)
  } catch (error) {
    if (isUnavailable(error)) return []
    throw error
  }
}

/** Ends them, and answers the position of the last event; 0 when there is none. */
async function revokeExcess(
  context: StartSessionContext,
  eventContext: EventContext,
  { userId, excess }: { readonly userId: string; readonly excess: readonly string[] },
): Promise<number> {
  const ended = await Promise.all(
    excess.map((sessionId) =>
      executeCommand(context, context.sessions, {
        stream: sessionStream(sessionId),
        context: buildFollowUpContext(context, eventContext),
        decide: (state, nowMs) =>
          decideSessionRevocation(state, { sessionId, userId, reason: 'limit' }, nowMs),
      }),
    ),
  )
  return Math.max(0, ...ended.map(({ position }) => position))
}
