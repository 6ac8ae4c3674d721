/** Exchanges refresh tokens for new ones, and ends sessions by their refresh tokens. */

import {
  acceptsNonce,
  type DpopProof,
  dpopNonce,
  type ProofTarget,
  verifyDpopProof,
} from '../../auth/dpopProof.ts'
import { nextRefreshToken, type RefreshToken, readRefreshToken } from '../../auth/refreshToken.ts'
import { Failure } from '../../domain/failure.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import type { SessionDevice } from '../../domain/sessions/sessionDevice.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import {
  type SessionEvent,
  type SessionState,
  sessionStream,
} from '../../events/sessions/session.ts'
import { activeUser, userStream } from '../../events/sessions/user.ts'
import type { Context, Erasing, Writing } from '../handling/context.ts'
import { carryOut, write } from '../handling/write.ts'
import {
  accessTokenId,
  findSigner,
  type MadeAccessToken,
  type Signer,
  type Signing,
  signAccessToken,
} from './accessTokens.ts'
import { decideEnd, decideRefresh, tokenRefused } from './decideRefresh.ts'
import { readDevice } from './sessionDevice.ts'
import type { SessionsContext } from './sessionsContext.ts'
import { eraseGoneUser } from './users/deleteUser.ts'

/** Longer than a restart and a deployment take, during which an answer may be lost. */
const repeatMsDefault = 5 * 60_000

/** A refresh token as it was sent. */
export interface PresentedToken {
  /** The application whose host was asked. */
  readonly app: ServedApp
  readonly requestId: string
  readonly token: string | undefined
}

export interface RefreshRequest extends PresentedToken {
  /** The header `DPoP`. */
  readonly proof: string | undefined
  readonly target: ProofTarget
  /** Where the connection comes from, two upper-case letters; undefined leaves the session's country as it is. */
  readonly countryCode: string | undefined
  /** Counts it against the rate of a session, once the token is known to be one of it; rejects `rate_limited`. */
  readonly countRefresh: (sessionId: string) => Promise<void>
}

/** The answer of a refresh; times in milliseconds since the Unix epoch. */
export interface SessionTokens {
  readonly access: MadeAccessToken
  readonly refreshToken: string
  readonly refreshExpiresAt: number
  /** For the proof of the next refresh. */
  readonly dpopNonce: string
}

type Refreshing = Erasing &
  Signing &
  Pick<SessionsContext, 'users' | 'sessions' | 'metrics' | 'warn' | 'refreshRepeatMs'>

/**
 * Replaces the refresh token once; for a while after that, the same key gets the same answer again. Throws
 * `invalid_api_token` for an invalid token and for an ended session, what `verifyDpopProof` and `decideRefresh` throw; a token
 * that was used before ends its session.
 */
export async function refreshSession(
  context: Refreshing,
  request: RefreshRequest,
): Promise<SessionTokens> {
  // 1. Read the token, count the refresh, and verify that the client has the key of the session.
  const token = readToken(context, request)
  await request.countRefresh(token.sessionId)
  const presented = { token, proof: await verifyProof(context, token, request) }

  // 2. Decide, prepare the answer, and append.
  const nowMs = context.clock.nowMs()
  const next = nextRefreshToken(token, request.app.appId, context.keyring.digest)
  let prepared: Prepared | undefined
  const { state, events } = await carryOut(context, context.sessions, {
    ...commandOf(context, token, request),
    decide: async (session) => {
      const asked = { presented, nextHash: next.hash, nowMs }
      const decided = await decide(context, request, { ...asked, session })
      prepared = decided.prepared
      return [decided.event]
    },
  })
  const [event] = events
  if (!state || !event) throw new Error('a refresh has left no session')

  // 3. Refuse a user who was deleted on another instance meanwhile, and erase what was written of them.
  await assertUserActive(context, request, event)

  // 4. Count the refresh, report a reused token, and refuse when the session was ended.
  countRefreshed(context, request, event)
  if (event.type === 'SessionRevoked') throw tokenRefused()

  // 5. Answer.
  if (!prepared) throw new Error('a refresh was written before its answer was prepared')
  return {
    access: await accessTokenOf(context, { sessionId: token.sessionId, state }, prepared),
    refreshToken: next.text,
    refreshExpiresAt: state.expires_at,
    dpopNonce: dpopNonce(next, nowMs, context.keyring.digest),
  }
}

function readToken(
  { keyring }: Pick<Context, 'keyring'>,
  { token = '', app }: PresentedToken,
): RefreshToken {
  const read = readRefreshToken(token, app.appId, keyring.digest)
  if (read) return read
  throw tokenRefused()
}

async function verifyProof(
  { keyring: { digest }, clock }: Pick<Context, 'keyring' | 'clock'>,
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

/** The actor is the session itself. */
function commandOf(
  { clock, chance }: Pick<Context, 'clock' | 'chance'>,
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

interface Asked {
  readonly presented: { readonly token: RefreshToken; readonly proof: DpopProof }
  readonly nextHash: string
  readonly nowMs: number
  readonly session: SessionState | undefined
}

/** What an answer needs from other stores. */
interface Prepared {
  readonly signer: Signer
  readonly device: SessionDevice
}

interface Decided {
  readonly event: SessionEvent
  /** Absent where the session ends. */
  readonly prepared?: Prepared
}

async function decide(
  context: Refreshing,
  { app, countryCode }: RefreshRequest,
  { presented, nextHash, nowMs, session }: Asked,
): Promise<Decided> {
  if (session?.app !== app.appId) throw tokenRefused()
  // up to the end of the log: all sessions of the user may have been revoked on another instance
  const { state: user } = await context.users.catchUp(userStream(session.user))
  const repeatMs = context.refreshRepeatMs ?? repeatMsDefault
  const known = { session, user, lifetimes: app.settings.tokens }
  const event = decideRefresh(presented, known, { nextHash, nowMs, repeatMs })
  if (event.type === 'SessionRevoked') return { event }
  // once it is written, the presented token is used up: everything the answer needs has to be read before
  const [signer, device] = await Promise.all([
    findSigner(context, app.appId),
    readDevice(context, { id: presented.token.sessionId, state: session }),
  ])
  // a refresh from another country says so; an answer that is given again is the one that was given
  const isKnown = countryCode === undefined || countryCode === device.country_code
  if (event.type !== 'SessionRefreshed' || isKnown) return { event, prepared: { signer, device } }
  const seen = { ...device, country_code: countryCode }
  return {
    event: { ...event, data: { ...event.data, device: seen } },
    prepared: { signer, device: seen },
  }
}

/** Throws `invalid_api_token` when a device was sealed for a user who is deleted, and like `eraseGoneUser`. */
async function assertUserActive(
  context: Erasing & Pick<SessionsContext, 'users'>,
  { app, requestId }: PresentedToken,
  { type, data }: SessionEvent,
): Promise<void> {
  if (type !== 'SessionRefreshed' || !data.device) return
  const userId = data.user_id
  if (activeUser((await context.users.catchUp(userStream(userId))).state)) return
  const { account, appId } = app
  const principal = { kind: 'application', accountId: account, appId } as const
  await eraseGoneUser(context, { principal, requestId }, { account, userId })
  throw tokenRefused()
}

function countRefreshed(
  { metrics, warn }: Pick<SessionsContext, 'metrics' | 'warn'>,
  { app, requestId }: PresentedToken,
  { type, data }: SessionEvent,
): void {
  if (type !== 'SessionRevoked') {
    metrics.sessions.refreshed(type === 'SessionRefreshed' ? 'refreshed' : 'repeated')
    return
  }
  metrics.sessions.refreshed(data.reason === 'expired' ? 'expired' : 'reused')
  if (data.reason !== 'reuse') return
  const { account: account_id, appId: app_id } = app
  const facts = { account_id, app_id, session_id: data.session_id, request_id: requestId }
  warn(facts, 'A refresh token was used twice; its session is over.')
}

/** Made from recorded data only, so that a repeated answer has the same token. */
function accessTokenOf(
  { keyring }: Pick<Context, 'keyring'>,
  { sessionId, state }: { readonly sessionId: string; readonly state: SessionState },
  { signer, device: { country_code: countryCode } }: Prepared,
): Promise<MadeAccessToken> {
  const { generation, user: userId, scopes } = state
  return signAccessToken(signer, {
    id: accessTokenId(keyring, sessionId, generation),
    userId,
    sessionId,
    scopes,
    countryCode,
    issuedAtMs: state.last_seen_at,
    sessionExpiresAtMs: state.expires_at,
  })
}

/**
 * Ends the session of a refresh token, even of one that was used before: at worst a user has to sign in again. Repeating it is no error.
 * Throws `invalid_api_token` for a text that is no token.
 */
export async function revokeByToken(
  context: Writing & Pick<SessionsContext, 'sessions'>,
  request: PresentedToken,
): Promise<void> {
  const token = readToken(context, request)
  const decide = (state: SessionState | undefined): readonly SessionEvent[] =>
    decideEnd(token, state, context.clock.nowMs())
  const command = { ...commandOf(context, token, request), decide }
  await write(context, context.sessions, command)
}
