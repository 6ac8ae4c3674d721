/** Declares the first screen after sign-in. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Overview',
  path: '/',
  scopes: ['analyse', 'audit', 'author', 'eval', 'feedback', 'manage', 'operate', 'operator'],
  order: 1,
  load: async () => (await import('./overview.tsx')).Overview,
}
