/** Entries of a rulebook, before anything is published under them. */

import type {
  Entries,
  Entry,
  RecipeEntry,
  RecipeVersion,
  RulebookState,
  RuleEntry,
  RuleVersion,
} from './rulebook.ts'

/** What an entry takes beside what it holds. */
export const entryBytes = 800

/** Of a flow, or what entries have in common. */
export function newEntry<Version>(state: RulebookState): Entry<Version> {
  state.bytes += entryBytes
  return { current: undefined, versions: new Map(), referrers: [] }
}

/** Of a rule. */
export function newRule(state: RulebookState): RuleEntry {
  return { ...newEntry<RuleVersion>(state), places: [] }
}

/** Of a recipe. */
export function newRecipe(state: RulebookState): RecipeEntry {
  return { ...newEntry<RecipeVersion>(state), status: 'DRAFT' }
}

/** The entry under this id, made where there is none. */
export function entryOf<Item>(items: Entries<Item>, id: string, make: () => Item): Item {
  const found = items.get(id)
  if (found) return found
  const made = make()
  items.set(id, made)
  return made
}
