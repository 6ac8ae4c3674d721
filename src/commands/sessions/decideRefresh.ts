/** Decides whether a refresh token is exchanged, answered again, or ends its session. */

import type { DpopProof } from '../../auth/dpopProof.ts'
import type { RefreshToken } from '../../auth/refreshToken.ts'
import { Failure } from '../../domain/failure.ts'
import { computeSessionEndMs, type TokenLifetimes } from '../../domain/sessions/appSettings.ts'
import {
  isActiveSession,
  refreshRepeatsMax,
  type SessionEvent,
  type SessionState,
} from '../../events/sessions/session.ts'
import {
  findActiveUser,
  findUsableGrants,
  type UserStreamState,
} from '../../events/sessions/user.ts'

interface Refresh {
  /** As presented. */
  readonly token: RefreshToken
  readonly proof: DpopProof
  /** Of the token that follows. */
  readonly nextHash: string
  readonly session: SessionState
  /** Read up to the end of the log: it says whether all sessions were revoked. */
  readonly user: UserStreamState
  /** Of the application. */
  readonly lifetimes: TokenLifetimes
  /** For how long after a refresh its answer is given again. */
  readonly repeatMs: number
  readonly nowMs: number
}

/**
 * The current token is followed by another. The one before it is answered as it was, for some minutes, to another proof
 * by the key of the session: its answer may have been lost. Any other token was used before and may be stolen, so the
 * session is revoked, as is one that has lived as long as the application allows. Throws `dpop_key_mismatch`,
 * `invalid_dpop_proof` for a proof that was used before, and `invalid_api_token` for a session that is over and for a
 * repetition too many: waiting would not help, since the token is a stolen one when the moment is over.
 */
export function decideRefresh(refresh: Refresh): SessionEvent {
  const { token, proof, nextHash, session, lifetimes, nowMs } = refresh
  const { sessionId } = token
  const user = findActiveUser(refresh.user)
  const isActive = isActiveSession({ id: sessionId, state: session }, refresh.user, nowMs)
  if (!user || !isActive) throw refreshTokenRefused()
  const ids = { session_id: sessionId, user_id: session.user }
  const expiresAt = computeSessionEndMs(lifetimes, { startedAt: session.started_at, nowMs })
  if (expiresAt <= nowMs) {
    return { type: 'SessionRevoked', data: { ...ids, reason: 'expired', revoked_at: nowMs } }
  }
  if (token.hash === session.refresh_token_hash) {
    const { key_thumbprint: bound = proof.thumbprint } = session
    // the first refresh binds the session to a key
    if (bound !== proof.thumbprint) {
      throw new Failure('dpop_key_mismatch', 'The session is bound to the key of another proof.')
    }
    const scopes = findUsableGrants(user, sessionId, nowMs).map(({ scope }) => scope)
    const data = {
      ...ids,
      generation: session.generation + 1,
      refresh_token_hash: nextHash,
      key_thumbprint: proof.thumbprint,
      proof_id: proof.id,
      scopes: [...new Set(scopes)].sort(),
      device_at: session.device_at,
      refreshed_at: nowMs,
      expires_at: expiresAt,
    }
    return { type: 'SessionRefreshed', data }
  }
  const isPrevious = token.hash === session.previous_token_hash
  const isOwn = proof.thumbprint === session.key_thumbprint
  if (isPrevious && isOwn && nowMs <= session.last_seen_at + refresh.repeatMs) {
    assertNew(proof, session)
    return { type: 'RefreshRepeated', data: { ...ids, proof_id: proof.id, repeated_at: nowMs } }
  }
  return { type: 'SessionRevoked', data: { ...ids, reason: 'reuse', revoked_at: nowMs } }
}

/** One refusal for every fault of a token or its session; `wrong` for a token that was never one of ours. */
export function refreshTokenRefused(token?: 'wrong'): Failure {
  const message = 'The refresh token is not valid.'
  return new Failure('invalid_api_token', message, token && { isWrongToken: true })
}

function assertNew({ id }: DpopProof, { proof_ids: used }: SessionState): void {
  if (used.includes(id)) {
    throw new Failure('invalid_dpop_proof', 'The DPoP proof is not valid. It was used before.')
  }
  if (used.length > refreshRepeatsMax) {
    throw new Failure('invalid_api_token', 'The same refresh was asked for too often.')
  }
}
