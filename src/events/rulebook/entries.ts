/** Entries of a rulebook, before anything is published under them. */

import type { Entries, Entry, RecipeEntry, RecipeVersion } from './rulebook.ts'

/** Of a rule or a flow. */
export function newEntry<Version>(): Entry<Version> {
  return { current: undefined, versions: new Map(), referrers: [] }
}

/** Of a recipe. */
export function newRecipe(): RecipeEntry {
  return { ...newEntry<RecipeVersion>(), status: 'DRAFT' }
}

/** The entry under this id, made where there is none. */
export function entryOf<Item>(items: Entries<Item>, id: string, make: () => Item): Item {
  const found = items.get(id)
  if (found) return found
  const made = make()
  items.set(id, made)
  return made
}
