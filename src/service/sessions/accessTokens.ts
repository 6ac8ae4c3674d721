/** Access tokens of sessions, by the keys of their applications. */

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  type AccessToken,
  isTimely,
  makeAccessToken,
  makeCallToken,
  type OutgoingCall,
  type SigningPair,
  type TokenParties,
  verifyAccessToken,
} from '../../auth/accessToken.ts'
import { signingKeyOf } from '../../auth/signingKey.ts'
import { appNotFound, Failure } from '../../domain/failure.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import { sessionIssuer } from '../../domain/sessionHost.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { type AppState, appStream, verifyingKeys } from '../../events/sessions/app.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** What a token is made for; times in milliseconds since the Unix epoch. */
interface TokenOrder
  extends Pick<AccessToken, 'id' | 'userId' | 'sessionId' | 'scopes' | 'countryCode'> {
  readonly issuedAtMs: number
  /** Of the session: its token lives no longer. */
  readonly sessionExpiresAtMs: number
}

/** As it is answered (`POST /v1/session/refresh`). */
export interface MadeAccessToken {
  readonly access_token: string
  /** In seconds since the Unix epoch. */
  readonly expires_at: number
}

/** Makes a token: the same bytes for the same order, while the same key signs. Nothing outside of the process is needed for it. */
export type MakeAccessToken = (order: TokenOrder) => Promise<MadeAccessToken>

export interface AccessTokens {
  /**
   * Finds the application's newest key, by which tokens can be made then: whoever writes what is to be answered with one asks for it
   * before. Throws `app_not_found` for an application that there is not, and `unavailable` when its key cannot be had.
   */
  readonly prepare: (appId: string) => Promise<MakeAccessToken>
  /** What a token of the application says that is valid now; undefined for every other text. It is not asked whether its session is. */
  readonly read: (app: ServedApp, text: string) => Promise<AccessToken | undefined>
  /** By which the customer knows whose call it is. Throws like `prepare`. */
  readonly signCall: (appId: string, call: Pick<OutgoingCall, 'url' | 'body'>) => Promise<string>
}

export function openAccessTokens(
  context: Pick<ServiceContext, 'apps' | 'keyring' | 'clock' | 'chance'>,
  sessionDomain: string,
): AccessTokens {
  const partiesOf = (appId: string): TokenParties => ({
    issuer: sessionIssuer(appId, sessionDomain),
    audience: appId,
  })
  return {
    prepare: async (appId) => makerOf(await findSigner(context, appId), partiesOf(appId)),
    read: openReading(context.clock, (app, text) =>
      verifyAccessToken(text, {
        ...partiesOf(app.appId),
        keys: app.keys,
        nowMs: context.clock.nowMs(),
      }),
    ),
    signCall: async (appId, call) => {
      const { pair } = await findSigner(context, appId)
      const { issuer } = partiesOf(appId)
      const id = uuidV7(context.clock, context.chance)
      return makeCallToken({ ...call, issuer, id, nowMs: context.clock.nowMs() }, pair)
    },
  }
}

function makerOf({ pair, settings }: Signer, parties: TokenParties): MakeAccessToken {
  return async ({ issuedAtMs, sessionExpiresAtMs, ...order }) => {
    const issuedAt = Math.floor(issuedAtMs / 1_000)
    const expiresAt = Math.min(
      issuedAt + settings.tokens.access_seconds,
      Math.floor(sessionExpiresAtMs / 1_000),
    )
    const text = await makeAccessToken({ ...order, issuedAt, expiresAt }, parties, pair)
    return { access_token: text, expires_at: expiresAt }
  }
}

/** Tokens whose signature was found good; by their hashes, so that none of them is kept. */
const readMax = 10_000

interface GoodToken {
  readonly token: AccessToken
  readonly appId: string
  /** Those of the application when it was looked at: none of them may be gone. */
  readonly keys: ServedApp['keys']
}

/** A signature is looked at once: whether the token is good now, and its keys still verify, is asked every time. */
function openReading(
  clock: ServiceContext['clock'],
  verify: AccessTokens['read'],
): AccessTokens['read'] {
  const good = new LRUCache<string, GoodToken>({ max: readMax })
  return async (app, text) => {
    const { appId, keys } = app
    const key = hash('sha256', text, 'base64')
    const known = good.get(key)
    const isStill = known?.appId === appId && known.keys.every((one) => keys.includes(one))
    if (known && isStill) return isTimely(known.token, clock.nowMs()) ? known.token : undefined
    const token = await verify(app, text)
    if (token) good.set(key, { token, appId, keys })
    return token
  }
}

interface Signer extends Pick<AppState, 'settings'> {
  readonly pair: SigningPair
}

/** The application with its key, as they are held here; or else, when its key is another by now, as the log has them. */
async function findSigner(
  context: Pick<ServiceContext, 'apps' | 'keyring'>,
  appId: string,
): Promise<Signer> {
  const stream = appStream(appId)
  const held = await signerOf(context, (await context.apps.folded(stream)).state)
  const found = held ?? (await signerOf(context, (await context.apps.catchUp(stream)).state))
  if (!found) throw new Failure('unavailable', 'The signing key of the application cannot be had.')
  return found
}

async function signerOf(
  { keyring }: Pick<ServiceContext, 'keyring'>,
  app: AppState | undefined,
): Promise<Signer | undefined> {
  if (!app || app.retired_at !== undefined) throw appNotFound()
  const kid = verifyingKeys(app).at(-1)?.kid
  if (kid === undefined) return undefined
  const secret = (await keyring.keys([kid])).get(kid)
  if (!(secret instanceof Uint8Array)) return undefined
  const privateKey = privateKeys.get(secret) ?? signingKeyOf(secret)
  privateKeys.set(secret, privateKey)
  return { pair: { kid, privateKey }, settings: app.settings }
}

/** Made once, for as long as the keyring holds the secret: it forgets those that are destroyed, and is bounded. */
const privateKeys = new WeakMap<Uint8Array, ReturnType<typeof signingKeyOf>>()
