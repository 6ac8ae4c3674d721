/** Declares the lists that rules look up, and the phone lists. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Lists',
  path: '/lists',
  scopes: ['author', 'audit', 'manage'],
  order: 6,
  load: async () => (await import('./listsScreen.tsx')).ListsScreen,
}
