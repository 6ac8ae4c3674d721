/** Updates a rulebook in memory: entries, versions, references; makes copy-on-read branches. */

import { countSeries } from './keptSeries.ts'
import type {
  FlowVersion,
  RecipeEntry,
  RecipeVersion,
  RulebookEntry,
  RulebookEntryMap,
  RulebookState,
  RuleEntry,
  RuleVersion,
} from './rulebook.ts'

/** The entry of a flow. */
export function createEntry<Version>(): RulebookEntry<Version> {
  return { current: undefined, referrers: new Map() }
}

export function createRule(): RuleEntry {
  return { ...createEntry<RuleVersion>(), versions: new Map() }
}

export function createRecipe(): RecipeEntry {
  return { ...createEntry<RecipeVersion>(), status: 'DRAFT' }
}

/** The entry under this id, made where there is none. */
export function getOrAddEntry<Item>(
  items: RulebookEntryMap<Item>,
  id: string,
  make: () => Item,
): Item {
  const found = items.get(id)
  if (found) return found
  const made = make()
  items.set(id, made)
  return made
}

/** Stores the version of the rule, replacing one of the same id. */
export function storeVersion(state: RulebookState, entry: RuleEntry, version: RuleVersion): void {
  // first, so that a series which both have stays in force
  countSeries(state.counters, version, 1)
  removeVersion(state, entry, version.version_id)
  entry.versions.set(version.version_id, version)
  addSize(state, version, 1)
}

/** Removes the version of the rule, if it is stored. */
export function removeVersion(state: RulebookState, entry: RuleEntry, versionId: string): void {
  const version = entry.versions.get(versionId)
  if (!version) return
  entry.versions.delete(versionId)
  addSize(state, version, -1)
  countSeries(state.counters, version, -1)
}

/** Removes the version of the rule, unless it is current or a recipe pins it. */
export function removeUnusedVersion(state: RulebookState, id: string, versionId: string): void {
  const entry = state.rules.get(id)
  if (!entry || entry.current?.version_id === versionId) return
  for (const pinned of entry.referrers.values()) if (pinned === versionId) return
  removeVersion(state, entry, versionId)
}

/** Counts the version as part of the rulebook, or no longer. */
export function addSize(
  { size }: RulebookState,
  version: RuleVersion | RecipeVersion | FlowVersion | undefined,
  times: 1 | -1,
): void {
  if (!version) return
  size.text += times * version.name.length
  if ('expression' in version) {
    size.text += times * version.text.length
    size.compiled += times * version.expression.length
  }
  if (!('rules' in version)) return
  size.memberships += times * version.rules.length
  for (const [name, value] of Object.entries(version.parameters ?? {})) {
    size.text += times * (name.length + value.length)
  }
}

/** The ids that a recipe or flow names, each with the version that is pinned, where one is. */
export type References = ReadonlyMap<string, string | undefined>

/** What one names, before and after a change of it. */
interface ReferenceChange {
  readonly by: string
  readonly before: References
  readonly after: References
}

export function updateReferences(
  state: RulebookState,
  items: Pick<RulebookEntryMap<RulebookEntry<unknown>>, 'get'>,
  { by, before, after }: ReferenceChange,
): void {
  for (const id of before.keys()) if (!after.has(id)) items.get(id)?.referrers.delete(by)
  for (const [id, pinned] of after) items.get(id)?.referrers.set(by, pinned)
  for (const [id, pinned] of before) {
    if (pinned !== undefined) removeUnusedVersion(state, id, pinned)
  }
}

/** A copy-on-read branch: only entries that are read are copied, so that a large rulebook costs no more. */
export function branchRulebook(state: RulebookState): RulebookState {
  return {
    rules: branchEntries(state.rules, (rule) => ({
      ...copyEntry(rule),
      versions: new Map(rule.versions),
    })),
    recipes: branchEntries(state.recipes, copyEntry),
    flows: branchEntries(state.flows, copyEntry),
    lists: new Map(state.lists),
    counters: new Map(state.counters),
    size: { ...state.size },
    generation: state.generation,
  }
}

/** An entry is folded in place. */
function copyEntry<Item extends RulebookEntry<unknown>>(entry: Item): Item {
  return { ...entry, referrers: new Map(entry.referrers) }
}

function branchEntries<Item>(
  base: RulebookEntryMap<Item>,
  copy: (entry: Item) => Item,
): RulebookEntryMap<Item> {
  const own = new Map<string, Item>()
  const added = new Set<string>()
  return {
    get size() {
      return base.size + added.size
    },
    has: (id) => own.has(id) || base.has(id),
    get: (id) => {
      const known = own.get(id)
      if (known) return known
      const found = base.get(id)
      if (found) own.set(id, copy(found))
      return own.get(id)
    },
    keys: () => [...base.keys(), ...added],
    set: (id, item) => {
      if (!own.has(id) && !base.has(id)) added.add(id)
      own.set(id, item)
    },
  }
}
