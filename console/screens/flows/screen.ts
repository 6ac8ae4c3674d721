/** Declares the list of flows. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Flows',
  path: '/flows',
  scopes: ['author', 'audit'],
  order: 5,
  load: async () => (await import('./flowList.tsx')).FlowList,
}
