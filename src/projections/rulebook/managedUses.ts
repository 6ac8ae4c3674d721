/** Projects the customer recipes that ever used a managed rule or recipe. */
// Whether one still does is in the recipe itself: so a document is written once and never removed.

import type { RulebookEvent } from '../../events/rulebook/rulebook.ts'
import { defineCollection, defineProjection } from '../running/projection.ts'

/** By `{id of the managed rule or recipe}/{recipe id}`. */
export interface ManagedUseDocument {
  /** Of the recipe. */
  readonly account: string
}

const identity = { name: 'managed_uses', version: 1 } as const
export const managedUseCollection = defineCollection<ManagedUseDocument>({ projection: identity })

type RecipeEvent = Extract<RulebookEvent, { type: 'RecipePublished' | 'RecipeRestored' }>

export const managedUsesProjection = defineProjection<RecipeEvent, ManagedUseDocument>({
  ...identity,
  collections: [managedUseCollection],
  eventTypes: ['RecipePublished', 'RecipeRestored'],
  targets: ({ event: { data } }) => {
    const base = data.base_recipe_id === undefined ? [] : [data.base_recipe_id]
    return [...base, ...(data.managed ?? [])].map((used) => ({
      collection: managedUseCollection,
      id: `${used}/${data.recipe_id}`,
      once: 'recurring',
    }))
  },
  apply: (_, { metadata }) => ({ account: metadata.account }),
})
