/** Derives and verifies refresh tokens (`vgr_…`) by a keyed digest, without a database read. */

import { hash, timingSafeEqual } from 'node:crypto'

/** `vgr_`, the session's id without its prefix, 32 unpredictable bytes, and the first 16 of a keyed digest of both. */
const form = /^vgr_([0-7][0-9a-hjkmnp-tv-z]{25})_([A-Za-z0-9_-]{43})_([A-Za-z0-9_-]{22})$/

/** The pattern of a refresh token, for secret scanners and for a JSON Schema. */
export const refreshTokenPattern = form.source

const tagChars = 22

/** Keyed digest of a text for one purpose, in base64url, with the secret of the installation. */
export type KeyedDigest = (purpose: string, text: string) => string

export interface RefreshTokenOwner {
  readonly appId: string
  readonly sessionId: string
}

export interface RefreshToken {
  readonly sessionId: string
  readonly text: string
  /** The stored form: SHA-256 in base64url, enough for 256 unpredictable bits. */
  readonly hash: string
}

/** The first token of a session, always the same. */
export function deriveFirstRefreshToken(
  owner: RefreshTokenOwner,
  digest: KeyedDigest,
): RefreshToken {
  return buildToken(owner, digest('refresh token, first', joinParts(owner)), digest)
}

/** The token after another: always the same, so that a lost reply can be repeated though only its hash is stored. */
export function deriveNextRefreshToken(
  { sessionId, text }: RefreshToken,
  appId: string,
  digest: KeyedDigest,
): RefreshToken {
  return buildToken({ appId, sessionId }, digest('refresh token, next', text), digest)
}

/** The token in a text; undefined when not of a session of this application. Constant time for texts of the form. */
export function verifyRefreshToken(
  text: string,
  appId: string,
  digest: KeyedDigest,
): RefreshToken | undefined {
  const [, session, secret] = form.exec(text) ?? []
  if (session === undefined || secret === undefined) return undefined
  const token = buildToken({ appId, sessionId: `ses_${session}` }, secret, digest)
  return timingSafeEqual(Buffer.from(text), Buffer.from(token.text)) ? token : undefined
}

function buildToken(owner: RefreshTokenOwner, secret: string, digest: KeyedDigest): RefreshToken {
  const { sessionId } = owner
  const tag = digest('refresh token, tag', `${joinParts(owner)} ${secret}`).slice(0, tagChars)
  const text = `vgr_${sessionId.slice(4)}_${secret}_${tag}`
  return { sessionId, text, hash: hash('sha256', text, 'base64url') }
}

/** Neither contains a space. */
function joinParts({ appId, sessionId }: RefreshTokenOwner): string {
  return `${appId} ${sessionId}`
}
