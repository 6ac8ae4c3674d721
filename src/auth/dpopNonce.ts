/** Derives and checks nonces of DPoP proofs (RFC 9449, 8) from refresh token and time; none is stored. */

import type { KeyedDigest, RefreshToken } from './refreshToken.ts'

/** A nonce is good for the rest of the window it is given in and for the next one; usual access tokens live one window long. */
const windowMs = 10 * 60 * 1_000
const nonceChars = 22

/** The nonce that goes with a token now. */
export function dpopNonce(token: Pick<RefreshToken, 'hash'>, nowMs: number, digest: KeyedDigest) {
  return nonceOf(token, Math.floor(nowMs / windowMs), digest)
}

/** Whether a proof for the token may carry a nonce now. */
export function acceptsNonce(
  nonce: string,
  { token, nowMs }: { readonly token: Pick<RefreshToken, 'hash'>; readonly nowMs: number },
  digest: KeyedDigest,
): boolean {
  const window = Math.floor(nowMs / windowMs)
  return nonce === nonceOf(token, window, digest) || nonce === nonceOf(token, window - 1, digest)
}

/** Of the hash of a token, which only its holder and we can make: a proof for one token is none for the one that follows it. */
function nonceOf({ hash }: Pick<RefreshToken, 'hash'>, window: number, digest: KeyedDigest) {
  return digest('dpop nonce', `${hash} ${window}`).slice(0, nonceChars)
}
