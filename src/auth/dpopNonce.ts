/** Nonces of DPoP proofs (RFC 9449, 8): kept by nobody, and each good for one refresh token for a while. */

import type { KeyedDigest, RefreshToken } from './refreshToken.ts'

/** A nonce is good for the rest of the window it is given in and for the next one; usual access tokens live one window long. */
const windowMs = 10 * 60 * 1_000
const nonceChars = 22

/** The nonce that goes with a token now. */
export function dpopNonce(token: Pick<RefreshToken, 'hash'>, nowMs: number, digest: KeyedDigest) {
  return nonceOf(token, Math.floor(nowMs / windowMs), digest)
}

/** Those that a proof for the token may carry now. */
export function acceptedNonces(
  token: Pick<RefreshToken, 'hash'>,
  nowMs: number,
  digest: KeyedDigest,
): readonly string[] {
  const window = Math.floor(nowMs / windowMs)
  return [nonceOf(token, window, digest), nonceOf(token, window - 1, digest)]
}

/** Of the hash of a token, which only its holder and we can make: a proof for one token is none for the one that follows it. */
function nonceOf({ hash }: Pick<RefreshToken, 'hash'>, window: number, digest: KeyedDigest) {
  return digest('dpop nonce', `${hash} ${window}`).slice(0, nonceChars)
}
