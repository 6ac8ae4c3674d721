/** Declares the explorer of evaluations. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Evaluations',
  path: '/evaluations',
  scopes: ['analyse'],
  order: 2,
  load: async () => (await import('./explorer.tsx')).Explorer,
}
