/** Declares the ledger of what was missing. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'What was missing',
  path: '/missing',
  scopes: ['analyse'],
  under: '/evaluations',
  load: async () => (await import('./missingScreen.tsx')).MissingScreen,
}
