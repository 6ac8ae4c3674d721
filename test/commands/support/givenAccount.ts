/** An account after events, as it is kept in memory. */

import {
  type AccountEvent,
  type AccountState,
  evolveAccount,
  noAccount,
} from '../../../src/events/accounts/account.ts'

export const fact = (type: string, data: object = {}) => ({ type, data }) as AccountEvent
export const opened = fact('AccountOpened', { account_id: 'acc_1', name: 'Ann' })

export function accountAfter(...events: readonly AccountEvent[]): AccountState {
  return [opened, ...events].reduce(evolveAccount, noAccount)
}
