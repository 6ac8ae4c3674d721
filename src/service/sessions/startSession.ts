/** Starts sessions of users whom a back end has let in. */

import { firstRefreshToken } from '../../auth/refreshToken.ts'
import { grantScopes } from '../../commands/sessions/createUser.ts'
import { revokeSession } from '../../commands/sessions/revokeSession.ts'
import { startSession } from '../../commands/sessions/startSession.ts'
import type { TokenLifetimes } from '../../domain/appSettings.ts'
import type { Call } from '../../domain/call.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
import { isoTime } from '../../domain/isoTime.ts'
import type { Principal } from '../../domain/principal.ts'
import { type SessionDevice, sessionDevice, unshownFields } from '../../domain/sessionDevice.ts'
import { uuidV5 } from '../../domain/uuid.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { isOfEpoch, sessionStream } from '../../events/sessions/session.ts'
import { type UserState, userStream, userSubject } from '../../events/sessions/user.ts'
import { findActiveSessions } from '../../queries/sessions/sessions.ts'
import { eraseSubject } from '../opening/eraseSubject.ts'
import {
  carryOut,
  eventContextOf,
  type ServiceContext,
  whenVisible,
} from '../opening/serviceContext.ts'
import type { AccessTokens, MakeAccessToken } from './accessTokens.ts'
import { grantSeconds, userNow } from './grantScope.ts'
import { ownAppNow } from './ownAppNow.ts'
import { ownContext } from './ownContext.ts'
import type { SessionInput, StartedSession, UserPlace, UserSessionsPart } from './sessionsPart.ts'
import { sessionView } from './sessionViews.ts'

/** Starts at the very same moment may make it a few more; the next one ends those, too. */
const sessionsMax = 100
/** How many are ended by one start. */
const excessMax = 20

type Start = UserSessionsPart['userSessions']['start']

/** Namespace of the ids of the grants that a session begins with. */
const namespace = '1f0c9b7e-66d3-5a0b-8a35-94e2b1c07d58'

export function openStart(context: ServiceContext, tokens: AccessTokens): Start {
  return async (call, place, input) => {
    const device = deviceOf(input)
    const { settings } = await ownAppNow(context, place)
    const starting = startingOf(context, call, { place, input, device })
    const { sessionId } = starting
    const user = await userNow(context, place)
    // what could not be answered is not begun
    const makeToken = await tokens.prepare(place.appId)
    const isNew = (await context.sessions.catchUp(sessionStream(sessionId))).state === undefined
    const excess = isNew ? await excessSessions(context, place.userId, user) : []
    if (isNew) await grant(context, starting)
    const lifetimes = settings.tokens
    const started = await append(context, starting, { epoch: user.epoch, lifetimes })
    const { epoch } = user
    if (!started.isRepeated) await assertStanding(context, call, { ...starting, epoch })
    const endedAt = await revokeExcess(context, starting.eventContext, excess)
    const value = await answer(context, makeToken, { starting, started })
    // a list that shows the new session shows no more than there may be
    const position = Math.max(started.position, endedAt)
    const written = await whenVisible(context, { position })
    return { ...written, value }
  }
}

interface Starting {
  readonly place: UserPlace
  readonly sessionId: string
  readonly device: SessionDevice
  readonly scopes: readonly string[]
  readonly eventContext: EventContext
}

function startingOf(
  context: ServiceContext,
  call: Call<Principal>,
  { place, input, device }: Pick<Starting, 'place' | 'device'> & { readonly input: SessionInput },
): Starting {
  const { scopes = [] } = input
  const eventContext = eventContextOf(context, call, {
    account: place.account,
    operation: `sessions.start ${place.userId}`,
    input: { ...device, scopes },
    ownStream: true,
  })
  const sessionId = derivedId('ses', eventContext.command, 'session')
  return { place, device, scopes, eventContext, sessionId }
}

/** Throws `invalid_request` for what cannot be shown. */
function deviceOf({ scopes: _, ...input }: SessionInput): SessionDevice {
  const unshown = unshownFields(input)
  if (unshown.length === 0) return sessionDevice(input)
  const message = 'Must be visible characters.'
  throw invalidRequest(unshown.map((path) => ({ path, message })))
}

/** What the session may do once: on the stream of the user, where it is spent. */
async function grant(
  context: ServiceContext,
  { place, sessionId, scopes, eventContext }: Starting,
): Promise<void> {
  if (scopes.length === 0) return
  const { userId } = place
  const grants = scopes.map((scope) => ({
    grantId: uuidV5(namespace, `${eventContext.command} ${scope}`),
    scope,
  }))
  const lifetimeMs = grantSeconds * 1_000
  await carryOut(context, context.users, {
    stream: userStream(userId),
    context: ownContext(context, eventContext),
    decide: grantScopes({ userId, place, grants, sessionId, lifetimeMs }, eventContext.time),
  })
}

interface Appended {
  readonly position: number
  readonly isRepeated: boolean
  readonly startedAt: number
  readonly expiresAt: number
}

async function append(
  context: ServiceContext,
  { place, sessionId, device, scopes, eventContext }: Starting,
  { epoch, lifetimes }: Pick<UserState, 'epoch'> & { readonly lifetimes: TokenLifetimes },
): Promise<Appended> {
  const { appId, userId, account } = place
  const token = firstRefreshToken({ appId, sessionId }, context.keyring.digest)
  const session = { sessionId, userId, appId, account, epoch, device, scopes, lifetimes }
  const { events, position, repeated } = await carryOut(context, context.sessions, {
    stream: sessionStream(sessionId),
    context: eventContext,
    decide: startSession({ ...session, tokenHash: token.hash }, eventContext.time),
  })
  const [started] = events
  if (started?.type !== 'SessionStarted') throw new Error('a session was not started')
  const { started_at: startedAt, expires_at: expiresAt } = started.data
  return { position, isRepeated: repeated, startedAt, expiresAt }
}

/**
 * Whether the session counts: had all of the user's been revoked while it was started, it would be one of them. What was written of a user
 * who was deleted at the same moment is erased. Throws `not_found`, `conflict`.
 */
async function assertStanding(
  context: ServiceContext,
  call: Call<Principal>,
  { place, sessionId, eventContext, epoch }: Starting & Pick<UserState, 'epoch'>,
): Promise<void> {
  try {
    const user = await userNow(context, place)
    if (isOfEpoch({ id: sessionId, epoch }, user)) return
  } catch (error) {
    await eraseGoneUser(context, call, { account: eventContext.account, userId: place.userId })
    throw error
  }
  throw new Failure('conflict', 'The sessions of the user were revoked meanwhile; try again.', {
    retryAfterSeconds: 1,
  })
}

async function answer(
  { keyring }: ServiceContext,
  makeToken: MakeAccessToken,
  { starting, started }: { readonly starting: Starting; readonly started: Appended },
): Promise<StartedSession> {
  const { place, sessionId, device, scopes } = starting
  const { appId, userId } = place
  const { startedAt, expiresAt } = started
  const access = await makeToken({
    id: keyring.digest('access token', `${sessionId} 0`).slice(0, tokenIdChars),
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

const tokenIdChars = 22

/** A session that is one too many. */
interface Excess {
  readonly sessionId: string
  readonly userId: string
}

/** Those seen longest ago, that one more finds room. None while the read models cannot be asked: nobody is kept out for it. */
async function excessSessions(
  context: ServiceContext,
  userId: string,
  user: UserState,
): Promise<readonly Excess[]> {
  try {
    const nowMs = context.clock.nowMs()
    const active = await findActiveSessions(context, { ...user, user: userId, nowMs })
    const excess = active.slice(sessionsMax - 1).slice(-excessMax)
    return excess.map(({ id }) => ({ sessionId: id, userId }))
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') return []
    throw error
  }
}

/** Ends them. The position of the last event of their ends, 0 where there is none. */
async function revokeExcess(
  context: ServiceContext,
  eventContext: EventContext,
  excess: readonly Excess[],
): Promise<number> {
  const ended = await Promise.all(
    excess.map((one) =>
      carryOut(context, context.sessions, {
        stream: sessionStream(one.sessionId),
        context: ownContext(context, eventContext),
        decide: revokeSession(one, 'limit', eventContext.time),
      }),
    ),
  )
  return Math.max(0, ...ended.map(({ position }) => position))
}

interface GoneUser {
  readonly account: string
  readonly userId: string
}

/**
 * Destroys the keys of a user who is deleted. For whoever has sealed something of them and finds them gone afterwards: the deletion may
 * have looked for their keys before. Throws like `eraseSubject`.
 */
export async function eraseGoneUser(
  context: ServiceContext,
  call: Call<Principal>,
  { account, userId }: GoneUser,
): Promise<void> {
  const { kind, value } = userSubject(userId)
  await eraseSubject(context, call, {
    account,
    subject: context.keyring.subject(account, kind, value),
  })
}
