/** Declares the comparison of a recipe with another, such as its shadow. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Comparison',
  path: '/recipes/:id/comparison',
  scopes: ['analyse'],
  under: '/recipes',
  load: async () => (await import('./comparisonScreen.tsx')).ComparisonScreen,
}
