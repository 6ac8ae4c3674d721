/** Declares the principals (account, operator, front end, user, application) and token scopes. */

/** The scopes an API token can carry. */
export const scopes = [
  'eval',
  'feedback',
  'manage',
  'author',
  'analyse',
  'audit',
  'operate',
] as const

export type Scope = (typeof scopes)[number]

/** The holder of an API token of one account. */
export interface AccountPrincipal {
  readonly kind: 'account'
  readonly accountId: string
  readonly tokenId: string
  readonly scopes: readonly Scope[]
}

/** The operator of the installation. */
export interface OperatorPrincipal {
  readonly kind: 'operator'
}

/** The front end of an account, by its SDK key. The key is public, so this proves nothing about the caller. */
export interface FrontEndPrincipal {
  readonly kind: 'front_end'
  readonly accountId: string
  readonly keyId: string
}

/** A user of an application, in one session. */
export interface UserPrincipal {
  readonly kind: 'user'
  /** Whose application it is. */
  readonly accountId: string
  readonly appId: string
  readonly userId: string
  readonly sessionId: string
  /** Of the access token, as the account named them. */
  readonly scopes: readonly string[]
}

/** An application itself, for requests to its host by a caller that is no user yet. */
export interface ApplicationPrincipal {
  readonly kind: 'application'
  /** Whose application it is. */
  readonly accountId: string
  readonly appId: string
}

export type Principal =
  | AccountPrincipal
  | OperatorPrincipal
  | FrontEndPrincipal
  | UserPrincipal
  | ApplicationPrincipal

/** The scope of a session token to change the password (spec 4.4). */
export const passwordScope = 'prld:pwd:write'
