/** Opens an account. */

import { Failure } from '../../domain/failure.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'

/** The decision: an account is opened once. */
export function openAccount(input: { readonly accountId: string; readonly name: string }) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (state.opened) throw new Failure('conflict', 'The account is open already.')
    return [{ type: 'AccountOpened', data: { account_id: input.accountId, name: input.name } }]
  }
}
