/** Refreshes a session: one refresh token takes the place of another, once. */

import type { DpopProof } from '../../auth/dpopProof.ts'
import type { RefreshToken } from '../../auth/refreshToken.ts'
import { Failure } from '../../domain/failure.ts'
import {
  refreshRepeatsMax,
  type SessionEvent,
  type SessionState,
} from '../../events/sessions/session.ts'

interface Presented {
  readonly token: RefreshToken
  readonly proof: DpopProof
}

/** What is decided of a refresh that is the first with its token. */
interface Refreshing {
  /** Of the token that follows. */
  readonly nextHash: string
  /** Of the access token. */
  readonly scopes: readonly string[]
  readonly nowMs: number
  /** Not after now for a session that has lived as long as the application lets it. */
  readonly expiresAt: number
  /** For how long after a refresh its answer is given again. */
  readonly repeatMs: number
}

/**
 * The decision about a session that is active. The current token is followed by another. The one before it is answered as it was, for some
 * minutes, to another proof by the key of the session: its answer may have been lost. Every other token was used before, so somebody has it
 * who should not, and the session is revoked, as is one that the application has given less time meanwhile than it has lived. Throws `dpop_key_mismatch`, `invalid_dpop_proof` for a proof that was used before, and
 * `invalid_api_token` for a repetition too many: waiting would not help, since the token is a stolen one when the moment is over.
 */
export function refreshSession(
  presented: Presented,
  state: SessionState,
  refreshing: Refreshing,
): SessionEvent {
  const { token, proof } = presented
  const ids = { session_id: token.sessionId, user_id: state.user }
  const { nowMs } = refreshing
  if (refreshing.expiresAt <= nowMs) {
    return { type: 'SessionRevoked', data: { ...ids, reason: 'expired', revoked_at: nowMs } }
  }
  if (token.hash === state.refresh_token_hash) {
    assertKey(proof, state)
    return { type: 'SessionRefreshed', data: { ...ids, ...refreshed(proof, state, refreshing) } }
  }
  if (isRepeated(presented, state, refreshing)) {
    assertNew(proof, state)
    return { type: 'RefreshRepeated', data: { ...ids, proof_id: proof.id, repeated_at: nowMs } }
  }
  return { type: 'SessionRevoked', data: { ...ids, reason: 'reuse', revoked_at: nowMs } }
}

function refreshed(
  { thumbprint, id }: DpopProof,
  { generation, device_at }: SessionState,
  { nextHash, scopes, nowMs, expiresAt }: Refreshing,
) {
  return {
    generation: generation + 1,
    refresh_token_hash: nextHash,
    key_thumbprint: thumbprint,
    proof_id: id,
    scopes,
    device_at,
    refreshed_at: nowMs,
    expires_at: expiresAt,
  }
}

/** The first refresh binds the session to a key. */
function assertKey({ thumbprint }: DpopProof, { key_thumbprint: bound }: SessionState): void {
  if (bound === undefined || bound === thumbprint) return
  throw new Failure('dpop_key_mismatch', 'The session is bound to the key of another proof.')
}

function isRepeated(
  { token, proof }: Presented,
  state: SessionState,
  { nowMs, repeatMs }: Pick<Refreshing, 'nowMs' | 'repeatMs'>,
): boolean {
  const isPrevious = token.hash === state.previous_token_hash
  const isOwn = proof.thumbprint === state.key_thumbprint
  return isPrevious && isOwn && nowMs <= state.last_seen_at + repeatMs
}

function assertNew({ id }: DpopProof, { proof_ids: used }: SessionState): void {
  if (used.includes(id)) {
    throw new Failure('invalid_dpop_proof', 'The DPoP proof is not valid. It was used before.')
  }
  if (used.length > refreshRepeatsMax) {
    throw new Failure('invalid_api_token', 'The same refresh was asked for too often.')
  }
}
