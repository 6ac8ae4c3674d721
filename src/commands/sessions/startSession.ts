/** Starts sessions of users signed in by a back end, and ends those beyond the limit. */

import { firstRefreshToken } from '../../auth/refreshToken.ts'
import type { Call, Written } from '../../domain/call.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import { closedObject, openObject, optional, type TypeOf, timeText } from '../../domain/schema.ts'
import { sessionEnd, type TokenLifetimes } from '../../domain/sessions/appSettings.ts'
import {
  countryPattern,
  deviceTextMax,
  deviceTypePattern,
  type SessionDevice,
  sessionDevice,
  unshownFields,
} from '../../domain/sessions/sessionDevice.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { uuidV5 } from '../../domain/uuid.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  isOfEpoch,
  type SessionEvent,
  type SessionState,
  sessionStream,
} from '../../events/sessions/session.ts'
import { type UserState, userStream } from '../../events/sessions/user.ts'
import type { Erasing } from '../handling/context.ts'
import { carryOut, derivedContext, eventContextOf, whenVisible } from '../handling/write.ts'
import {
  accessTokenId,
  findSigner,
  type Signer,
  type Signing,
  signAccessToken,
} from './accessTokens.ts'
import { findOwnApp } from './apps/ownApp.ts'
import { decideGrants, grantSeconds, scopeName } from './grantScope.ts'
import { decideRevocation } from './revokeSessions.ts'
import type { SessionsContext, UserRef } from './sessionsContext.ts'
import { eraseGoneUser } from './users/deleteUser.ts'
import { findOwnUser } from './users/findUser.ts'
import { sessionSchema, sessionView } from './views.ts'

/** Concurrent starts may exceed it by a few; the next start ends those, too. */
const sessionsMax = 100
/** How many are ended by one start. */
const excessMax = 20
/** Namespace of the ids of the grants that a session begins with. */
const namespace = '1f0c9b7e-66d3-5a0b-8a35-94e2b1c07d58'

const deviceText = optional({ type: 'string', maxLength: deviceTextMax })

export const sessionInputSchema = closedObject('SessionInput', {
  device_type: optional({
    type: 'string',
    pattern: deviceTypePattern,
    description: 'Such as `IOS`; shown in upper case.',
  }),
  device_model: deviceText,
  os_version: deviceText,
  country_code: optional({
    type: 'string',
    pattern: countryPattern,
    description: 'Two letters; shown in upper case.',
  }),
  scopes: optional({
    type: 'array',
    maxItems: 10,
    uniqueItems: true,
    items: scopeName,
    description: 'Scopes for one use within five minutes.',
  }),
})
type SessionInput = TypeOf<typeof sessionInputSchema>

interface SessionOfUser {
  readonly user: UserRef
  readonly input: SessionInput
}

/** A session that has just been started. */
export const startedSessionSchema = openObject('StartedSession', {
  session: sessionSchema,
  refresh_token: {
    type: 'string',
    description: "For the user's device; shown once, stored as a hash.",
  },
  refresh_token_expires_at: timeText,
  access_token: { type: 'string', description: 'A JWT signed with a key of the application.' },
  expires_at: {
    type: 'integer',
    description: 'When the access token expires, in seconds since the Unix epoch.',
  },
})
export type StartedSession = TypeOf<typeof startedSessionSchema>

export type StartingContext = Erasing &
  Signing &
  Pick<SessionsContext, 'users' | 'sessions' | 'reads'>

/**
 * A user with too many sessions loses the least recently seen. Throws `app_not_found`, `not_found`, `invalid_request`, and `conflict` when
 * all sessions of the user were revoked at the same moment.
 */
export async function startSession(
  context: StartingContext,
  call: Call<Principal>,
  { user: ref, input }: SessionOfUser,
): Promise<Written<StartedSession>> {
  const device = deviceOf(input)
  const { settings } = await findOwnApp(context, ref)
  const starting = startingOf(context, call, { user: ref, input, device })
  const { sessionId } = starting
  const user = await findOwnUser(context, ref)
  // before anything is written: a start that could not be answered is not begun
  const signer = await findSigner(context, ref.appId)
  const isNew = (await context.sessions.catchUp(sessionStream(sessionId))).state === undefined
  const excess = isNew ? await excessSessions(context, ref.userId, user) : []
  if (isNew) await grantFirstScopes(context, starting)
  const { epoch } = user
  const started = await append(context, starting, { epoch, lifetimes: settings.tokens })
  if (!started.isRepeated) await assertStillActive(context, call, { ...starting, epoch })
  const endedAt = await revokeExcess(context, starting.eventContext, excess)
  const value = await answer(context, signer, { starting, started })
  // after the ends as well, so that a list with the new session is within the limit
  const position = Math.max(started.position, endedAt)
  return { ...(await whenVisible(context, { position })), value }
}

interface Starting {
  readonly user: UserRef
  readonly sessionId: string
  readonly device: SessionDevice
  readonly scopes: readonly string[]
  readonly eventContext: EventContext
}

function startingOf(
  context: StartingContext,
  call: Call<Principal>,
  { user, input, device }: Pick<Starting, 'user' | 'device'> & { readonly input: SessionInput },
): Starting {
  const { scopes = [] } = input
  const eventContext = eventContextOf(context, call, {
    account: user.account,
    operation: `sessions.start ${user.userId}`,
    input: { ...device, scopes },
    ownStream: true,
  })
  const sessionId = derivedId('ses', eventContext.command, 'session')
  return { user, device, scopes, eventContext, sessionId }
}

/** Throws `invalid_request` for what cannot be shown. */
function deviceOf({ scopes: _, ...input }: SessionInput): SessionDevice {
  const unshown = unshownFields(input)
  if (unshown.length === 0) return sessionDevice(input)
  const message = 'Must be visible characters.'
  throw invalidRequest(unshown.map((path) => ({ path, message })))
}

/** Recorded on the stream of the user, where a grant is used up. */
async function grantFirstScopes(
  context: StartingContext,
  { user, sessionId, scopes, eventContext }: Starting,
): Promise<void> {
  if (scopes.length === 0) return
  const { userId } = user
  const grants = scopes.map((scope) => ({
    grantId: uuidV5(namespace, `${eventContext.command} ${scope}`),
    scope,
  }))
  const lifetimeMs = grantSeconds * 1_000
  await carryOut(context, context.users, {
    stream: userStream(userId),
    context: derivedContext(context, eventContext),
    decide: decideGrants({ userId, app: user, grants, sessionId, lifetimeMs }, eventContext.time),
  })
}

interface Appended {
  readonly position: number
  readonly isRepeated: boolean
  readonly startedAt: number
  readonly expiresAt: number
}

async function append(
  context: StartingContext,
  { user, sessionId, device, scopes, eventContext }: Starting,
  { epoch, lifetimes }: Pick<UserState, 'epoch'> & { readonly lifetimes: TokenLifetimes },
): Promise<Appended> {
  const { appId, userId, account } = user
  const token = firstRefreshToken({ appId, sessionId }, context.keyring.digest)
  const session = { sessionId, userId, appId, account, epoch, device, scopes, lifetimes }
  const { events, position, repeated } = await carryOut(context, context.sessions, {
    stream: sessionStream(sessionId),
    context: eventContext,
    decide: decideStart({ ...session, tokenHash: token.hash }, eventContext.time),
  })
  const [started] = events
  if (started?.type !== 'SessionStarted') throw new Error('a session was not started')
  const { started_at: startedAt, expires_at: expiresAt } = started.data
  return { position, isRepeated: repeated, startedAt, expiresAt }
}

/**
 * Throws `conflict` when all sessions of the user were revoked while this one was started, since it is one of them; `not_found` when the
 * user was deleted, whose data is erased then.
 */
async function assertStillActive(
  context: StartingContext,
  call: Call<Principal>,
  { user: ref, sessionId, eventContext, epoch }: Starting & Pick<UserState, 'epoch'>,
): Promise<void> {
  try {
    const user = await findOwnUser(context, ref)
    if (isOfEpoch({ id: sessionId, epoch }, user)) return
  } catch (error) {
    await eraseGoneUser(context, call, { account: eventContext.account, userId: ref.userId })
    throw error
  }
  throw new Failure('conflict', 'The sessions of the user were revoked meanwhile; try again.', {
    retryAfterSeconds: 1,
  })
}

async function answer(
  { keyring }: Pick<StartingContext, 'keyring'>,
  signer: Signer,
  { starting, started }: { readonly starting: Starting; readonly started: Appended },
): Promise<StartedSession> {
  const { user, sessionId, device, scopes } = starting
  const { appId, userId } = user
  const { startedAt, expiresAt } = started
  const access = await signAccessToken(signer, {
    id: accessTokenId(keyring, sessionId, 0),
    userId,
    sessionId,
    scopes,
    countryCode: device.country_code,
    issuedAtMs: startedAt,
    sessionExpiresAtMs: expiresAt,
  })
  const times = { started_at: startedAt, last_seen_at: startedAt, expires_at: expiresAt }
  return {
    session: sessionView(sessionId, { device, ...times }),
    refresh_token: firstRefreshToken({ appId, sessionId }, keyring.digest).text,
    refresh_token_expires_at: isoTime(expiresAt),
    ...access,
  }
}

/** A session beyond the limit. */
interface Excess {
  readonly sessionId: string
  readonly userId: string
}

/** Those seen longest ago, so that one more fits. None while the read models are away: a start does not fail for them. */
async function excessSessions(
  context: StartingContext,
  userId: string,
  user: UserState,
): Promise<readonly Excess[]> {
  try {
    const nowMs = context.clock.nowMs()
    const active = await context.reads.findActiveSessions({ ...user, user: userId, nowMs })
    const excess = active.slice(sessionsMax - 1).slice(-excessMax)
    return excess.map(({ id }) => ({ sessionId: id, userId }))
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') return []
    throw error
  }
}

/** Ends them, and answers the position of the last event; 0 when there is none. */
async function revokeExcess(
  context: StartingContext,
  eventContext: EventContext,
  excess: readonly Excess[],
): Promise<number> {
  const ended = await Promise.all(
    excess.map((one) =>
      carryOut(context, context.sessions, {
        stream: sessionStream(one.sessionId),
        context: derivedContext(context, eventContext),
        decide: decideRevocation(one, 'limit', eventContext.time),
      }),
    ),
  )
  return Math.max(0, ...ended.map(({ position }) => position))
}

interface NewSession {
  readonly sessionId: string
  readonly userId: string
  readonly appId: string
  readonly account: string
  /** Of the user, when the start was decided. */
  readonly epoch: number
  readonly device: SessionDevice
  /** Of the first refresh token. */
  readonly tokenHash: string
  readonly scopes: readonly string[]
  /** Of the application. */
  readonly lifetimes: TokenLifetimes
}

export function decideStart(session: NewSession, nowMs: number) {
  const { sessionId, userId, appId, account, epoch, device, tokenHash, scopes } = session
  return (state: SessionState | undefined): readonly SessionEvent[] => {
    if (state) throw new Error('a session was started twice')
    const data = {
      session_id: sessionId,
      user_id: userId,
      app_id: appId,
      account_id: account,
      epoch,
      device,
      refresh_token_hash: tokenHash,
      scopes,
      started_at: nowMs,
      expires_at: sessionEnd(session.lifetimes, { startedAt: nowMs, nowMs }),
    }
    return [{ type: 'SessionStarted', data }]
  }
}
