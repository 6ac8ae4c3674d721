/** Declares the screen of one list, and of the phone lists `allow` and `block`. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'List',
  path: '/lists/:id',
  scopes: ['author', 'audit', 'manage'],
  under: '/lists',
  load: async () => (await import('./listScreen.tsx')).ListScreen,
}
