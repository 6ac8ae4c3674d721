/** Projects the recipes of every account: the current version of each. */

import { type AuthoredRecipe, recipeContent } from '../../events/rulebook/contents.ts'
import type { RecipeStatus, RulebookEvent } from '../../events/rulebook/rulebook.ts'
import { collectionOf, defineProjection, type Made, madeAt } from '../running/projection.ts'

/** By the recipe's id. */
export interface RecipeDocument extends AuthoredRecipe, Made {
  readonly account: string
  readonly status: RecipeStatus
  readonly version_id: string
}

const identity = { name: 'recipes', version: 3 } as const
export const recipeCollection = collectionOf<RecipeDocument>({
  projection: identity,
  indexes: [['account', 'made']],
})

type RecipeEvent = Extract<
  RulebookEvent,
  { type: 'RecipePublished' | 'RecipeRestored' | 'RecipeStatusSet' | 'RecipeRetired' }
>

export const recipes = defineProjection<RecipeEvent, RecipeDocument>({
  ...identity,
  collections: [recipeCollection],
  handles: ['RecipePublished', 'RecipeRestored', 'RecipeStatusSet', 'RecipeRetired'],
  targets: ({ event }) => [{ collection: recipeCollection, id: event.data.recipe_id }],
  apply: (recipe, { event, metadata: { account }, position }) => {
    switch (event.type) {
      case 'RecipePublished':
      case 'RecipeRestored': {
        const { version_id, status } = event.data
        const content = recipeContent(event.data)
        return { account, ...madeAt(recipe, position), version_id, status, ...content }
      }
      case 'RecipeStatusSet':
        if (!recipe) throw new Error(`recipe ${event.data.recipe_id} has a status but no version`)
        return { ...recipe, status: event.data.status }
      case 'RecipeRetired':
        return null
    }
  },
})
