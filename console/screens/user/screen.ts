/** Declares the screen of one user of an application. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'User',
  path: '/users/:app/:id',
  scopes: ['manage', 'audit'],
  under: '/users',
  load: async () => (await import('./userScreen.tsx')).UserScreen,
}
