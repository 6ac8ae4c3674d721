/** The passwords of users. */

import type { Call, Written } from '../../domain/call.ts'
import type { Principal, UserPrincipal } from '../../domain/principal.ts'
import type { UserPlace } from './usersPart.ts'

export interface PasswordInput {
  readonly password: string
}

export interface PasswordCheck {
  readonly valid: boolean
}

type AnyCall = Call<Principal>

/**
 * Every function throws `app_not_found` for an application that the account has not, `invalid_request` for what is no Unicode text, and
 * `rate_limited` or `unavailable` when too many passwords are being hashed.
 */
export interface PasswordsPart {
  readonly passwords: {
    /**
     * The back end gives a user a password. Every session ends with the password before, unless the application says that none does.
     * Throws `invalid_password` for one that the application does not take, `not_found` for a user whom it has not.
     */
    readonly set: (call: AnyCall, place: UserPlace, input: PasswordInput) => Promise<Written<void>>
    /** Whether the user has this password. A user whom there is not has none, which takes as long to find out. */
    readonly check: (
      call: AnyCall,
      place: UserPlace,
      input: PasswordInput,
    ) => Promise<PasswordCheck>
    /**
     * The user gives themself a password, in a session that has been granted the scope for it, which is used up by that. The other
     * sessions end, none or all, as the application says. Throws `invalid_password`, `insufficient_scope` when the grant was used or is
     * over, and `invalid_api_token` when the session has ended.
     */
    readonly changeOwn: (call: Call<UserPrincipal>, input: PasswordInput) => Promise<Written<void>>
  }
}
