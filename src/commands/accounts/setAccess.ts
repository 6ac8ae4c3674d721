/** Says what an account may use: authoring, verification management, the trusted-user signal. */

import { Failure } from '../../domain/failure.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'

export interface AccessInput {
  readonly authoring?: boolean
  readonly management?: boolean
  readonly trusted_user?: boolean
}

/** The decision: an event for each access that changes; what the input leaves out stays. Throws `not_found`. */
export function setAccess(input: AccessInput) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', 'There is no such account.')
    return [
      ...change(input.authoring, state.authoring, 'AuthoringEnabled', 'AuthoringDisabled'),
      ...change(input.management, state.management, 'ManagementEnabled', 'ManagementDisabled'),
      ...change(input.trusted_user, state.trustedUser, 'TrustedUserAgreed', 'TrustedUserWithdrawn'),
    ]
  }
}

type Switch = Extract<AccountEvent, { readonly data: Record<string, never> }>['type']

function change(
  wanted: boolean | undefined,
  present: boolean,
  ...[on, off]: readonly [Switch, Switch]
): readonly AccountEvent[] {
  if (wanted === undefined || wanted === present) return []
  return [{ type: wanted ? on : off, data: {} }]
}
