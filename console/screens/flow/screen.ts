/** Declares the editor of a flow. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Flow',
  path: '/flows/:id',
  scopes: ['author', 'audit'],
  under: '/flows',
  load: async () => (await import('./flowScreen.tsx')).FlowScreen,
}
