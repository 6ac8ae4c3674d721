/** Declares the editor of a recipe. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Recipe',
  path: '/recipes/:id',
  scopes: ['author', 'audit'],
  under: '/recipes',
  load: async () => (await import('./recipeScreen.tsx')).RecipeScreen,
}
