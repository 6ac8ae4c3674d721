/** The managed recipes in force. */

import type { ManagedEvent, ManagedRecipeContent } from '../events/managedRulebook.ts'
import { defineProjection } from './defineProjection.ts'
import { collectionOf } from './projection.ts'

/** By the recipe's id. */
export interface ManagedRecipeDocument extends ManagedRecipeContent {
  /** The operator's own. */
  readonly account: string
  readonly version_id: string
}

const identity = { name: 'managed_recipes', version: 1 } as const
const collection = collectionOf(identity, [['account']])

type RecipeEvent = Extract<
  ManagedEvent,
  { type: 'ManagedRecipePublished' | 'ManagedRecipeRetired' }
>

export const managedRecipes = defineProjection<RecipeEvent, ManagedRecipeDocument>({
  ...identity,
  collections: [collection],
  handles: ['ManagedRecipePublished', 'ManagedRecipeRetired'],
  targets: ({ event }) => [{ collection, id: event.data.recipe_id }],
  apply: (_, { event, metadata: { account } }) => {
    if (event.type === 'ManagedRecipeRetired') return null
    const { recipe_id: _id, shipped: _shipped, ...content } = event.data
    return { account, ...content }
  },
})
