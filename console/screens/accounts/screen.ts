/** Declares the accounts, for the operator. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Accounts',
  path: '/accounts',
  scopes: ['operator'],
  order: 8,
  load: async () => (await import('./accountList.tsx')).AccountList,
}
