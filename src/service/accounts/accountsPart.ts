/** The accounts' part of the service: who calls, and what the operator keeps of those who may. */

import type { AccessInput } from '../../commands/accounts/setAccess.ts'
import type { Asking, Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { WithIsoTimes } from '../../domain/isoTime.ts'
import type { FrontEndPrincipal, Principal, Scope } from '../../domain/principal.ts'
import type { AccountView as AccountFound } from '../../queries/accounts/accounts.ts'

/** A token as the operator sees it; its secret is kept nowhere. */
export type AccountTokenView = WithIsoTimes<
  AccountFound['tokens'][number],
  'issued_at' | 'expires_at' | 'last_used_at' | 'revoked_at'
>

/** A public key of the account's front ends as the operator sees it. */
export interface SdkKeyView
  extends WithIsoTimes<
    AccountFound['sdk_keys'][number],
    'issued_at' | 'last_used_at' | 'revoked_at'
  > {
  /** What front ends send as `X-SDK-Key`. */
  readonly sdk_key: string
}

/** An account as the operator sees it. */
export interface AccountView
  extends Omit<WithIsoTimes<AccountFound, 'opened_at'>, 'id' | 'tokens' | 'sdk_keys'> {
  readonly account_id: string
  readonly tokens: readonly AccountTokenView[]
  readonly sdk_keys: readonly SdkKeyView[]
}

export interface AccountInput {
  readonly name: string
}

/** What an account may use. */
export type Access = Required<AccessInput>

export interface TokenInput {
  readonly scopes: readonly Scope[]
  readonly name?: string
  /** In milliseconds since the Unix epoch; undefined for a token that does not expire. */
  readonly expiresAtMs?: number
}

/** A token as it is shown once. */
export interface IssuedToken extends Pick<AccountTokenView, 'token_id' | 'name' | 'expires_at'> {
  readonly token: string
}

export interface SdkKeyInput extends Partial<SdkKeyOrigins> {
  readonly name?: string
}

/** Of which origins the pages are that may use a key; none for all, and what is no page. */
export interface SdkKeyOrigins {
  readonly origins: readonly string[]
}

/** A key as it is issued. */
export type IssuedSdkKey = Pick<SdkKeyView, 'key_id' | 'sdk_key' | 'name' | 'origins'>

/** Every function on one account throws `not_found` when there is none of the id. */
interface Accounts {
  /** In the order they were opened. Throws `unavailable` when `minPosition` is not reached in time. */
  readonly list: (call: Call<Principal>, page: PageRequest) => Promise<Seen<Page<AccountView>>>
  /** Throws `unavailable` when `minPosition` is not reached in time. */
  readonly get: (
    call: Call<Principal>,
    accountId: string,
    asking: Asking,
  ) => Promise<Seen<AccountView>>
  readonly open: (
    call: Call<Principal>,
    input: AccountInput,
  ) => Promise<Written<Pick<AccountView, 'account_id'>>>
  /** What the input leaves out stays as it is. */
  readonly setAccess: (
    call: Call<Principal>,
    accountId: string,
    input: AccessInput,
  ) => Promise<Written<Access>>
  /**
   * Throws `conflict` when the account has too many, and for a repeated request: the token's text was shown then; `invalid_request` for
   * an end that is not ahead, or more than ten years.
   */
  readonly issueToken: (
    call: Call<Principal>,
    accountId: string,
    input: TokenInput,
  ) => Promise<Written<IssuedToken>>
  /** Again is no error; a token that the account never had is `not_found`. */
  readonly revokeToken: (
    call: Call<Principal>,
    accountId: string,
    tokenId: string,
  ) => Promise<Written<void>>
  /** Throws `invalid_request` for what is no origin, `conflict` when the account has too many. */
  readonly issueSdkKey: (
    call: Call<Principal>,
    accountId: string,
    input: SdkKeyInput,
  ) => Promise<Written<IssuedSdkKey>>
  /** Throws `invalid_request` for what is no origin; a key that the account never had, or that is revoked, is `not_found`. */
  readonly setSdkKeyOrigins: (
    call: Call<Principal>,
    accountId: string,
    input: SdkKeyOrigins & Pick<SdkKeyView, 'key_id'>,
  ) => Promise<Written<IssuedSdkKey>>
  /** Again is no error; a key that the account never had is `not_found`. */
  readonly revokeSdkKey: (
    call: Call<Principal>,
    accountId: string,
    keyId: string,
  ) => Promise<Written<void>>
}

export interface AccountsPart {
  /** The principal behind a bearer token. Throws `invalid_api_token`, the same for every reason. */
  readonly authenticate: (token: string) => Promise<Principal>
  /**
   * The front end behind a public SDK key; `origin` is that of the page, undefined for what is no page. Throws `invalid_sdk_key`, the same
   * for every reason, and `origin_not_allowed`.
   */
  readonly authenticateFrontEnd: (
    key: string,
    origin: string | undefined,
  ) => Promise<FrontEndPrincipal>
  readonly accounts: Accounts
}
