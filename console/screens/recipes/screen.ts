/** Declares the list of recipes. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Recipes',
  path: '/recipes',
  scopes: ['author', 'audit'],
  order: 4,
  load: async () => (await import('./recipeList.tsx')).RecipeList,
}
