/** Exchanges refresh tokens for new ones, and ends sessions by their refresh tokens. */

import { deriveDpopNonces, type ProofTarget, verifyDpopProof } from '../../auth/dpopProof.ts'
import {
  deriveNextRefreshToken,
  type RefreshToken,
  verifyRefreshToken,
} from '../../auth/refreshToken.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import { normalizeSessionDevice, type SessionDevice } from '../../domain/sessions/sessionDevice.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import {
  type SessionEvent,
  type SessionState,
  sessionStream,
} from '../../events/sessions/session.ts'
import { findActiveUser, userStream } from '../../events/sessions/user.ts'
import {
  type IssuedAccessToken,
  requireSigner,
  type SigningContext,
  signAccessToken,
} from '../../state/sessions/accessTokens.ts'
import type { CommandContext, ErasureContext, WriteContext } from '../handling/commandContext.ts'
import { executeAndWait, executeCommand } from '../handling/executeCommand.ts'
import { decideRefresh, refreshTokenRefused } from './decideRefresh.ts'
import type { SessionsContext } from './sessionsContext.ts'
import { eraseDeletedUser } from './users/users.ts'

/** Longer than a restart and a deployment take, during which an answer may be lost. */
const repeatMsDefault = 5 * 60_000

/** Of the keyed digest by which the proof of a refresh is known when it comes again. */
const proofIdChars = 32

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
  readonly access: IssuedAccessToken
  readonly refreshToken: string
  readonly refreshExpiresAtMs: number
  /** For the proof of the next refresh. */
  readonly dpopNonce: string
}

type RefreshContext = ErasureContext &
  SigningContext &
  Pick<SessionsContext, 'users' | 'sessions' | 'metrics' | 'warn' | 'refreshRepeatMs'>

/**
 * Replaces the refresh token once; for a while after that, the same key gets the same answer again. Throws
 * `invalid_api_token` for an invalid token and for an ended session, what `verifyDpopProof` and `decideRefresh` throw;
 * a token that was used before ends its session.
 */
export async function refreshSession(
  context: RefreshContext,
  request: RefreshRequest,
): Promise<SessionTokens> {
  // 1. Read the token, count the refresh, and verify that the client has the key of the session.
  const token = readToken(context, request)
  const { sessionId } = token
  await request.countRefresh(sessionId)
  const { digest } = context.keyring
  const nowMs = context.clock.nowMs()
  const nonces = deriveDpopNonces(token, nowMs, digest)
  const verified = await verifyDpopProof(request.proof, { ...request.target, nonces, nowMs })
  const proof = { ...verified, id: digest('dpop proof', verified.id).slice(0, proofIdChars) }

  // 2. Read what the decision and the answer need, decide, and append: once it is written, the presented token is used
  // up.
  const { app } = request
  const next = deriveNextRefreshToken(token, app.appId, digest)
  const { state, events, answer } = await executeCommand(context, context.sessions, {
    ...(await buildSessionCommand(context, token, request)),
    gather: async (session) => {
      if (session?.app !== app.appId) throw refreshTokenRefused()
      // up to the end of the log: all sessions of the user may have been revoked on another instance
      const { state: user } = await context.users.catchUp(userStream(session.user))
      const [signer, device] = await Promise.all([
        requireSigner(context, app.appId),
        readSessionDevice(context, sessionId, session),
      ])
      return { session, user, signer, device }
    },
    decide: (_, __, { session, user, signer, device }) => {
      const decided = decideRefresh({
        token,
        proof,
        nextHash: next.hash,
        session,
        user,
        nowMs,
        lifetimes: app.settings.tokens,
        repeatMs: context.refreshRepeatMs ?? repeatMsDefault,
      })
      const { event, countryCode } = recordCountry(decided, device, request.countryCode)
      return { events: [event], answer: { signer, countryCode } }
    },
  })
  const [event] = events
  if (!state || !event || !answer) throw new Error('a refresh has left no session')

  // 3. Refuse a user who was deleted on another instance meanwhile, and erase what was written of them.
  await assertUserActive(context, request, event)

  // 4. Count the refresh, report a reused token, and refuse when the session was ended.
  countRefreshed(context, request, event)
  if (event.type === 'SessionRevoked') throw refreshTokenRefused()

  // 5. Answer.
  return {
    access: await signAccessToken(context, { ...answer, id: sessionId, state }),
    refreshToken: next.text,
    refreshExpiresAtMs: state.expires_at,
    dpopNonce: deriveDpopNonces(next, nowMs, digest)[0],
  }
}

function readToken(
  { keyring }: Pick<CommandContext, 'keyring'>,
  { token = '', app }: PresentedToken,
): RefreshToken {
  const read = verifyRefreshToken(token, app.appId, keyring.digest)
  if (read) return read
  throw refreshTokenRefused(token === '' ? undefined : 'wrong')
}

/** The actor is the user whose session it is; nothing is recorded of an unknown session. */
async function buildSessionCommand(
  { clock, random, sessions }: Pick<SessionsContext, 'clock' | 'random' | 'sessions'>,
  { sessionId }: RefreshToken,
  { app, requestId }: PresentedToken,
) {
  const stream = sessionStream(sessionId)
  const { state } = sessions.peek(stream) ?? (await sessions.catchUp(stream))
  return {
    stream,
    context: {
      account: app.account,
      actor: state?.user ?? app.appId,
      request: requestId,
      command: uuidV7(clock, random),
      time: clock.nowMs(),
    },
  }
}

/** The device of a session, from the log; empty once its user was erased. Throws `unavailable`. */
export async function readSessionDevice(
  { events, keyring }: Pick<CommandContext, 'events' | 'keyring'>,
  sessionId: string,
  { device_at }: Pick<SessionState, 'device_at'>,
): Promise<SessionDevice> {
  const page = { from: device_at, limit: 1 }
  const [recorded] = await events.readStream(sessionStream(sessionId), page)
  if (!recorded) throw new Error('a session has no event where its device was recorded')
  const { data } = (await openEvent(decode(recorded), keyring)).event as SessionEvent
  const device = 'device' in data ? data.device : undefined
  return device === undefined || isForgotten(device)
    ? normalizeSessionDevice({})
    : (device as SessionDevice)
}

/** A refresh from another country records it; a repeated answer keeps the country of the first. */
function recordCountry(event: SessionEvent, device: SessionDevice, seen = device.country_code) {
  const isOther = event.type === 'SessionRefreshed' && seen !== device.country_code
  if (!isOther) return { event, countryCode: device.country_code }
  const data = { ...event.data, device: { ...device, country_code: seen } }
  return { event: { ...event, data }, countryCode: seen }
}

/** Throws `invalid_api_token` when a device was sealed for a user who is deleted, and like `eraseDeletedUser`. */
async function assertUserActive(
  context: ErasureContext & Pick<SessionsContext, 'users'>,
  { app, requestId }: PresentedToken,
  { type, data }: SessionEvent,
): Promise<void> {
  if (type !== 'SessionRefreshed' || !data.device) return
  const userId = data.user_id
  if (findActiveUser((await context.users.catchUp(userStream(userId))).state)) return
  const { account, appId } = app
  const principal = { kind: 'application', accountId: account, appId } as const
  await eraseDeletedUser(context, { principal, requestId }, { account, userId })
  throw refreshTokenRefused()
}

function countRefreshed(
  { metrics, warn }: Pick<SessionsContext, 'metrics' | 'warn'>,
  { app, requestId }: PresentedToken,
  { type, data }: SessionEvent,
): void {
  if (type !== 'SessionRevoked') {
    metrics.sessions.countRefresh(type === 'SessionRefreshed' ? 'refreshed' : 'repeated')
    return
  }
  metrics.sessions.countRefresh(data.reason === 'expired' ? 'expired' : 'reused')
  if (data.reason !== 'reuse') return
  const { account: account_id, appId: app_id } = app
  const facts = { account_id, app_id, session_id: data.session_id, request_id: requestId }
  warn(facts, 'A refresh token was used twice; its session is over.')
}

/**
 * Ends the session of a refresh token, even of one that was used before: at worst a user has to sign in again.
 * Repeating it is no error. Throws `invalid_api_token` for a text that is no token.
 */
export async function revokeSessionByToken(
  context: WriteContext & Pick<SessionsContext, 'sessions'>,
  request: PresentedToken,
): Promise<void> {
  const token = readToken(context, request)
  const { sessionId: session_id } = token
  await executeAndWait(context, context.sessions, {
    ...(await buildSessionCommand(context, token, request)),
    decide: (state, nowMs): readonly SessionEvent[] => {
      if (!state || state.revoked) return []
      const data = { session_id, user_id: state.user, reason: 'user', revoked_at: nowMs } as const
      return [{ type: 'SessionRevoked', data }]
    },
  })
}
