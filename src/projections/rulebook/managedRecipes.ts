/** The managed recipes in force. */

import { managedRecipeContent } from '../../events/rulebook/contents.ts'
import type { ManagedEvent, ManagedRecipeContent } from '../../events/rulebook/managedRulebook.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf } from '../running/projection.ts'

/** By the recipe's id. */
export interface ManagedRecipeDocument extends ManagedRecipeContent {
  /** The operator's own. */
  readonly account: string
  readonly version_id: string
}

const identity = { name: 'managed_recipes', version: 2 } as const
export const managedRecipeCollection = collectionOf<ManagedRecipeDocument>({
  projection: identity,
  indexes: [['account']],
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
  apply: (_, { event, metadata: { account } }) => {
    if (event.type === 'ManagedRecipeRetired') return null
    return { account, ...managedRecipeContent(event.data), version_id: event.data.version_id }
  },
})
