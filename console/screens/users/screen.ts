/** Declares the users of applications. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Users',
  path: '/users',
  scopes: ['manage', 'audit'],
  order: 7,
  load: async () => (await import('./usersScreen.tsx')).UsersScreen,
}
