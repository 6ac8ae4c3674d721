/** What the holders of refresh tokens ask of the host of an application. */

import type { ProofTarget } from '../../auth/dpopProof.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import type { MadeAccessToken } from './accessTokens.ts'

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

/** What a session goes on with; times in milliseconds since the Unix epoch. */
export interface SessionTokens {
  readonly access: MadeAccessToken
  readonly refreshToken: string
  readonly refreshExpiresAt: number
  /** For the proof that the refresh token is presented with. */
  readonly dpopNonce: string
}

export interface RefreshPart {
  readonly refresh: {
    /**
     * Puts another refresh token in the place of the one presented, once; for a moment after that the same key gets the same answer.
     * Throws `invalid_api_token` for a token that is none, and for a session that is over, what `verifyDpopProof` and `refreshSession`
     * throw; a token that was used before ends its session.
     */
    readonly exchange: (request: RefreshRequest) => Promise<SessionTokens>
    /** Ends the session of the token, one that was used before too; again is no error. Throws `invalid_api_token` for what is none. */
    readonly revoke: (request: PresentedToken) => Promise<void>
  }
}
