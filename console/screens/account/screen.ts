/** Declares the screen of one account, for the operator. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Account',
  path: '/accounts/:id',
  scopes: ['operator'],
  under: '/accounts',
  load: async () => (await import('./accountScreen.tsx')).AccountScreen,
}
