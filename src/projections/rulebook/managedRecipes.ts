/** Projects the managed recipes in force. */

import { managedRecipeContent } from '../../events/rulebook/contents.ts'
import type { ManagedEvent, ManagedRecipeContent } from '../../events/rulebook/managedRulebook.ts'
import { collectionOf, defineProjection, type Made, madeAt } from '../running/projection.ts'

/** By the recipe's id. */
export interface ManagedRecipeDocument extends ManagedRecipeContent, Made {
  /** The operator's own. */
  readonly account: string
  readonly version_id: string
}

const identity = { name: 'managed_recipes', version: 3 } as const
export const managedRecipeCollection = collectionOf<ManagedRecipeDocument>({
  projection: identity,
  indexes: [['account', 'made']],
})

type RecipeEvent = Extract<
  ManagedEvent,
  { type: 'ManagedRecipePublished' | 'ManagedRecipeRestored' | 'ManagedRecipeRetired' }
>

export const managedRecipes = defineProjection<RecipeEvent, ManagedRecipeDocument>({
  ...identity,
  collections: [managedRecipeCollection],
  handles: ['ManagedRecipePublished', 'ManagedRecipeRestored', 'ManagedRecipeRetired'],
  targets: ({ event }) => [{ collection: managedRecipeCollection, id: event.data.recipe_id }],
  apply: (recipe, { event, metadata: { account }, position }) => {
    if (event.type === 'ManagedRecipeRetired') return null
    const { version_id } = event.data
    return { account, ...madeAt(recipe, position), ...managedRecipeContent(event.data), version_id }
  },
})
