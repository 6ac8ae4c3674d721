/** Refresh tokens at work: exchanged for new tokens, or for the end of their session. */

import { acceptsNonce, dpopNonce } from '../../auth/dpopNonce.ts'
import { type DpopProof, verifyDpopProof } from '../../auth/dpopProof.ts'
import { nextRefreshToken, type RefreshToken, readRefreshToken } from '../../auth/refreshToken.ts'
import { refreshSession } from '../../commands/sessions/refreshSession.ts'
import { sessionEnd } from '../../domain/appSettings.ts'
import { Failure } from '../../domain/failure.ts'
import type { SessionDevice } from '../../domain/sessionDevice.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { scopesGranted } from '../../events/sessions/scopesGranted.ts'
import {
  isActiveSession,
  type SessionEvent,
  type SessionState,
  sessionStream,
} from '../../events/sessions/session.ts'
import { standingUser, userStream } from '../../events/sessions/user.ts'
import type { SessionMeter } from '../../metrics/sessionMeter.ts'
import { carryOut, type ServiceContext, write } from '../opening/serviceContext.ts'
import type { AccessTokens, MadeAccessToken, MakeAccessToken } from './accessTokens.ts'
import { readDevice } from './readDevice.ts'
import type { PresentedToken, RefreshPart, RefreshRequest, SessionTokens } from './refreshPart.ts'
import { eraseGoneUser } from './startSession.ts'

/** A session that was revoked because a refresh token was used twice. */
interface Reuse {
  readonly account_id: string
  readonly app_id: string
  readonly session_id: string
  readonly request_id: string
}

interface RefreshOptions {
  readonly tokens: AccessTokens
  readonly meter: SessionMeter
  readonly onReuse: (reuse: Reuse) => void
}

/** Longer than a restart and a deployment take, during which an answer may be lost. */
const repeatMsDefault = 5 * 60_000

/** Everything that may be asked with a refresh token. */
export function openRefresh(
  context: ServiceContext,
  options: RefreshOptions,
): RefreshPart['refresh'] {
  return {
    exchange: async (request) => {
      const token = tokenOf(context, request)
      await request.countRefresh(token.sessionId)
      const proof = await proofOf(context, token, request)
      return exchange({ context, options, request, token, proof })
    },
    revoke: (request) => revoke(context, request, tokenOf(context, request)),
  }
}

function tokenOf({ keyring }: ServiceContext, { token = '', app }: PresentedToken): RefreshToken {
  const read = readRefreshToken(token, app.appId, keyring.digest)
  if (read) return read
  throw refused()
}

/** The same for whatever is wrong with a token or its session. */
function refused(): Failure {
  return new Failure('invalid_api_token', 'The refresh token is not valid.')
}

async function proofOf(
  { keyring: { digest }, clock }: ServiceContext,
  token: RefreshToken,
  { proof, target }: RefreshRequest,
): Promise<DpopProof> {
  const nowMs = clock.nowMs()
  try {
    const accepts = (nonce: string) => acceptsNonce(nonce, { token, nowMs }, digest)
    return await verifyDpopProof(proof, { ...target, accepts, nowMs })
  } catch (error) {
    const needsNonce = error instanceof Failure && error.code === 'use_dpop_nonce'
    if (!needsNonce) throw error
    throw new Failure(error.code, error.message, { dpopNonce: dpopNonce(token, nowMs, digest) })
  }
}

interface Exchange {
  readonly context: ServiceContext
  readonly options: RefreshOptions
  readonly request: RefreshRequest
  readonly token: RefreshToken
  readonly proof: DpopProof
}

async function exchange(one: Exchange): Promise<SessionTokens> {
  const { context, options, request, token } = one
  const nowMs = context.clock.nowMs()
  const next = nextRefreshToken(token, request.app.appId, context.keyring.digest)
  let answering: Answering | undefined
  const { state, events } = await carryOut(context, context.sessions, {
    ...commandOf(context, token, request),
    decide: async (before) => {
      const session = ownSession(one, before)
      const event = await decided(one, session, { nowMs, nextHash: next.hash })
      if (event.type === 'SessionRevoked') return [event]
      // once it is written, the token presented is good no more: whatever the answer takes has to be at hand by then
      const prepared = await prepareAnswer(one, session)
      const seen = seenIn(event, prepared, request)
      answering = seen.answering
      return [seen.event]
    },
  })
  const [event] = events
  if (!state || !event) throw new Error('a refresh has left no session')
  await assertStanding(one, event)
  options.meter.refreshed(resultOf(event))
  if (event.type === 'SessionRevoked') {
    if (event.data.reason === 'reuse') options.onReuse(reuseOf(request, token))
    throw refused()
  }
  if (!answering) throw new Error('a refresh was written before its answer was prepared')
  return {
    access: await accessTokenOf(one, state, answering),
    refreshToken: next.text,
    refreshExpiresAt: state.expires_at,
    dpopNonce: dpopNonce(next, nowMs, context.keyring.digest),
  }
}

/**
 * Whether the user is still there of whom a device was sealed: on another instance they may have been deleted since it was decided. What
 * was written of them is erased then. Throws `invalid_api_token`, and like `eraseGoneUser`.
 */
async function assertStanding(
  { context, request: { app, requestId } }: Exchange,
  { type, data }: SessionEvent,
): Promise<void> {
  if (type !== 'SessionRefreshed' || !data.device) return
  const userId = data.user_id
  if (standingUser((await context.users.catchUp(userStream(userId))).state)) return
  const { account, appId } = app
  const principal = { kind: 'application', accountId: account, appId } as const
  await eraseGoneUser(context, { principal, requestId }, { account, userId })
  throw refused()
}

/** What an answer takes that another store has to give. */
interface Answering {
  readonly makeToken: MakeAccessToken
  readonly device: SessionDevice
}

/** A refresh from another country says so; an answer that is given again is the one that was given. */
function seenIn(
  event: SessionEvent,
  answering: Answering,
  { countryCode }: Pick<RefreshRequest, 'countryCode'>,
): { readonly event: SessionEvent; readonly answering: Answering } {
  const isKnown = countryCode === undefined || countryCode === answering.device.country_code
  if (event.type !== 'SessionRefreshed' || isKnown) return { event, answering }
  const device = { ...answering.device, country_code: countryCode }
  return {
    event: { ...event, data: { ...event.data, device } },
    answering: { ...answering, device },
  }
}

/** As the session was before. Throws `unavailable`. */
async function prepareAnswer(
  { context, options: { tokens }, request, token: { sessionId: id } }: Exchange,
  state: SessionState,
): Promise<Answering> {
  const [makeToken, device] = await Promise.all([
    tokens.prepare(request.app.appId),
    readDevice(context, { id, state }),
  ])
  return { makeToken, device }
}

/** Made of what stands in the log alone, so that the answer that is given again has the same one. */
function accessTokenOf(
  { context, token: { sessionId } }: Exchange,
  state: SessionState,
  { makeToken, device: { country_code: countryCode } }: Answering,
): Promise<MadeAccessToken> {
  const { generation, user: userId, scopes } = state
  return makeToken({
    id: context.keyring.digest('access token', `${sessionId} ${generation}`).slice(0, 22),
    userId,
    sessionId,
    scopes,
    countryCode,
    issuedAtMs: state.last_seen_at,
    sessionExpiresAtMs: state.expires_at,
  })
}

function resultOf(event: SessionEvent) {
  if (event.type === 'SessionRefreshed') return 'refreshed'
  if (event.type === 'RefreshRepeated') return 'repeated'
  return event.type === 'SessionRevoked' && event.data.reason === 'expired' ? 'expired' : 'reused'
}

function reuseOf({ app, requestId }: RefreshRequest, { sessionId }: RefreshToken): Reuse {
  return {
    account_id: app.account,
    app_id: app.appId,
    session_id: sessionId,
    request_id: requestId,
  }
}

function ownSession({ request }: Exchange, state: SessionState | undefined): SessionState {
  if (state?.app !== request.app.appId) throw refused()
  return state
}

async function decided(
  { context, request, token, proof }: Exchange,
  state: SessionState,
  { nowMs, nextHash }: { readonly nowMs: number; readonly nextHash: string },
): Promise<SessionEvent> {
  // whoever has revoked all sessions of the user, wherever, has done it before this
  const { state: user } = await context.users.catchUp(userStream(state.user))
  const isActive = isActiveSession({ id: token.sessionId, state }, { user, app: {}, nowMs })
  const standing = standingUser(user)
  if (!isActive || !standing) throw refused()
  return refreshSession({ token, proof }, state, {
    nextHash,
    nowMs,
    scopes: scopesGranted(standing, token.sessionId, nowMs),
    expiresAt: sessionEnd(request.app.settings.tokens, { startedAt: state.started_at, nowMs }),
    repeatMs: context.refreshRepeatMs ?? repeatMsDefault,
  })
}

/** Whose the session is says its state; here it is its own. */
function commandOf(
  { clock, chance }: ServiceContext,
  { sessionId }: RefreshToken,
  { app, requestId }: PresentedToken,
) {
  return {
    stream: sessionStream(sessionId),
    context: {
      account: app.account,
      actor: sessionId,
      request: requestId,
      command: uuidV7(clock, chance),
      time: clock.nowMs(),
    },
  }
}

/** Whoever has a token of a session, an old one too, may end it: at most somebody has to sign in again. */
async function revoke(
  context: ServiceContext,
  request: PresentedToken,
  token: RefreshToken,
): Promise<void> {
  await write(context, context.sessions, {
    ...commandOf(context, token, request),
    decide: (state): readonly SessionEvent[] => {
      if (!state || state.revoked) return []
      const ids = { session_id: token.sessionId, user_id: state.user }
      const revoked_at = context.clock.nowMs()
      return [{ type: 'SessionRevoked', data: { ...ids, reason: 'user', revoked_at } }]
    },
  })
}
