/** Signs access tokens and requests to customers' servers with app keys; verifies access tokens. */

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  type AccessTokenClaims,
  isTokenValidAt,
  type OutgoingRequest,
  signAccessTokenClaims,
  signRequestToken,
  type TokenSigner,
  verifyAccessToken,
} from '../../auth/accessToken.ts'
import { deriveSigningKey } from '../../auth/signingKey.ts'
import type { Clock, Random } from '../../domain/clock.ts'
import { appNotFound, Failure } from '../../domain/failure.ts'
import { openObject, type TypeOf } from '../../domain/jsonSchema.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { type AppState, appStream, listVerifyingKeys } from '../../events/sessions/appEvents.ts'
import type { SessionState } from '../../events/sessions/session.ts'
import type { StateContext } from '../folding/stateContext.ts'
import type { SessionStreams } from './sessionStreamTypes.ts'

/** What finding the key of an application takes. */
export type SigningContext = Pick<SessionStreams, 'apps' | 'sessionDomain'> &
  Pick<StateContext, 'keyring'>

/** As it is answered (`POST /v1/session/refresh`). */
export const accessTokenSchema = openObject('AccessAnswer', {
  access_token: { type: 'string', description: 'A JWT signed with a key of the application.' },
  expires_at: { type: 'integer', description: 'When it expires, in seconds since the Unix epoch.' },
})
export type IssuedAccessToken = TypeOf<typeof accessTokenSchema>

/** The current signing key of an application: from here on a token is made without any store. */
export interface Signer extends TokenSigner, Pick<AppState, 'settings'> {}

/**
 * The application's newest signing key. Commands that answer a token find it before they write. Throws `app_not_found`,
 * and `unavailable` when the key cannot be read.
 */
export async function requireSigner(context: SigningContext, appId: string): Promise<Signer> {
  const stream = appStream(appId)
  const signer =
    (await findSigner(context, appId, await context.apps.getFolded(stream))) ??
    // the key of the cached application may have been replaced meanwhile
    (await findSigner(context, appId, await context.apps.catchUp(stream)))
  if (!signer) throw new Failure('unavailable', 'The signing key of the application cannot be had.')
  return signer
}

async function findSigner(
  { keyring, sessionDomain }: Pick<SigningContext, 'keyring' | 'sessionDomain'>,
  appId: string,
  { state: app }: { readonly state: AppState | undefined },
): Promise<Signer | undefined> {
  if (!app || app.retired_at !== undefined) throw appNotFound()
  const kid = listVerifyingKeys(app).at(-1)?.kid
  if (kid === undefined) return undefined
  const secret = (await keyring.keys([kid])).get(kid)
  if (!(secret instanceof Uint8Array)) return undefined
  const privateKey = privateKeys.get(secret) ?? deriveSigningKey(secret)
  privateKeys.set(secret, privateKey)
  return { ...buildTokenParties(appId, sessionDomain), kid, privateKey, settings: app.settings }
}

/** Cached for as long as the keyring holds the secret; the keyring is bounded and forgets destroyed keys. */
const privateKeys = new WeakMap<Uint8Array, ReturnType<typeof deriveSigningKey>>()

/** The address of the application's host issues its tokens. */
function buildTokenParties(appId: string, sessionDomain: string) {
  return { issuer: `https://${appId}.${sessionDomain}`, audience: appId }
}

const tokenIdChars = 22

/** A session after its start or a refresh, and the key of its application; see `SessionState`. */
export interface RefreshedSession {
  readonly signer: Signer
  readonly id: string
  readonly state: Pick<
    SessionState,
    'user' | 'generation' | 'scopes' | 'last_seen_at' | 'expires_at'
  >
  readonly countryCode: string
}

/**
 * The access token of one generation of a session, which lives no longer than the session. It is made from recorded
 * data only: equal inputs give equal bytes while the signing key is the same, so that a repeated answer has the same
 * token.
 */
export async function signAccessToken(
  { keyring }: Pick<SigningContext, 'keyring'>,
  { signer, id: sessionId, state, countryCode }: RefreshedSession,
): Promise<IssuedAccessToken> {
  const { user: userId, generation, scopes, last_seen_at, expires_at } = state
  const id = keyring.digest('access token', `${sessionId} ${generation}`).slice(0, tokenIdChars)
  const issuedAt = Math.floor(last_seen_at / 1_000)
  const expiresAt = Math.min(
    issuedAt + signer.settings.tokens.access_seconds,
    Math.floor(expires_at / 1_000),
  )
  const token = { id, userId, sessionId, scopes, countryCode, issuedAt, expiresAt }
  return { access_token: await signAccessTokenClaims(token, signer), expires_at: expiresAt }
}

/** Signs a call to the customer, so that its server can verify the caller. Throws like `requireSigner`. */
export async function signCall(
  context: SigningContext & { readonly clock: Clock; readonly random: Random },
  appId: string,
  call: Pick<OutgoingRequest, 'url' | 'body'>,
): Promise<string> {
  const signer = await requireSigner(context, appId)
  const id = uuidV7(context.clock, context.random)
  return signRequestToken({ ...call, id, nowMs: context.clock.nowMs() }, signer)
}

/** Bytes of verified tokens, by their hashes, so that no token is kept in memory. */
const verifiedBytesMax = 8 * 1024 * 1024
const verifiedTokens = new LRUCache<string, VerifiedToken>({ maxSize: verifiedBytesMax })

/** Bytes of one, for each character of its text and beside them. */
const bytesPerChar = 2
const ownBytes = 400

interface VerifiedToken {
  readonly token: AccessTokenClaims
  readonly appId: string
  /** Those of the application when it was verified: none of them may be gone. */
  readonly keys: ServedApp['keys']
}

/**
 * The content of a valid access token of the application, and `expired` for one that was valid; undefined for any other
 * text. The signature is verified once; the times of the token and its keys are checked every time. Whether its session
 * is active is not checked here.
 */
export async function verifyAppAccessToken(
  { clock, sessionDomain }: Pick<SessionStreams, 'sessionDomain'> & Pick<StateContext, 'clock'>,
  { appId, keys }: ServedApp,
  text: string,
): Promise<AccessTokenClaims | 'expired' | undefined> {
  const key = hash('sha256', text, 'base64')
  const nowMs = clock.nowMs()
  const known = verifiedTokens.get(key)
  const isStill = known?.appId === appId && known.keys.every((one) => keys.includes(one))
  if (known && isStill) return isTokenValidAt(known.token, nowMs) ? known.token : 'expired'
  const token = await verifyAccessToken(text, {
    ...buildTokenParties(appId, sessionDomain),
    keys,
    nowMs,
  })
  const size = ownBytes + text.length * bytesPerChar
  if (typeof token === 'object') verifiedTokens.set(key, { token, appId, keys }, { size })
  return token
}
