/** Declares the screen of reviews: what waits for a person's word. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Review',
  path: '/review',
  scopes: ['analyse'],
  order: 3,
  load: async () => (await import('./reviewScreen.tsx')).ReviewScreen,
}
