/** The accounts' part of the service: who calls, and what the operator keeps of those who may. */

import type { AccessInput } from '../../commands/accounts/setAccess.ts'
import type { Asking, Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { WithIsoTimes } from '../../domain/isoTime.ts'
import type { Principal, Scope } from '../../domain/principal.ts'
import type { AccountView as AccountFound } from '../../queries/accounts/accounts.ts'

/** A token as the operator sees it; its secret is kept nowhere. */
export type AccountTokenView = WithIsoTimes<
  AccountFound['tokens'][number],
  'issued_at' | 'expires_at' | 'last_used_at' | 'revoked_at'
>

/** An account as the operator sees it. */
export interface AccountView
  extends Omit<WithIsoTimes<AccountFound, 'opened_at'>, 'id' | 'tokens'> {
  readonly account_id: string
  readonly tokens: readonly AccountTokenView[]
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
}

export interface AccountsPart {
  /** The principal behind a bearer token. Throws `invalid_api_token`, the same for every reason. */
  readonly authenticate: (token: string) => Promise<Principal>
  readonly accounts: Accounts
}
