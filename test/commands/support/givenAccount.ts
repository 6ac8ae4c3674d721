/** An account after events, as it is kept in memory. */

import type { AccountEvent, AccountState } from '../../../src/events/accounts/account.ts'
import { accountStreamType } from '../../../src/state/accounts/accountStreamType.ts'

export const fact = (type: string, data: object = {}) => ({ type, data }) as AccountEvent
export const opened = fact('AccountOpened', { account_id: 'acc_1', name: 'Ann' })

export function accountAfter(...events: readonly AccountEvent[]): AccountState {
  let state = accountStreamType.initial()
  for (const event of [opened, ...events]) {
    state = accountStreamType.evolve(state, event, 0)
    accountStreamType.trim?.(state)
  }
  return state
}
