/** Declares the versions of a rule, a recipe or a flow. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Versions',
  path: '/versions/:kind/:id',
  scopes: ['author', 'audit'],
  load: async () => (await import('./versionsScreen.tsx')).VersionsScreen,
}
