/** Updates a rulebook in memory: entries, versions, references; makes copy-on-read branches. */

import type {
  FlowVersion,
  RecipeEntry,
  RecipeVersion,
  RulebookEntry,
  RulebookEntryMap,
  RulebookState,
  RuleVersion,
} from './rulebook.ts'
import { formatVersionKey } from './versionEvents.ts'

/** Of a rule or a flow. */
export function newEntry<Version>(): RulebookEntry<Version> {
  return { current: undefined, versions: new Map(), referrers: new Set() }
}

/** Of a recipe. */
export function newRecipe(): RecipeEntry {
  return { ...newEntry<RecipeVersion>(), status: 'DRAFT' }
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

type Version = RuleVersion | RecipeVersion | FlowVersion

/** Stores the version, replacing one of the same id. */
export function storeVersion<Stored extends Version>(
  state: RulebookState,
  entry: RulebookEntry<Stored>,
  version: Stored,
): void {
  removeVersion(state, entry, version.version_id)
  entry.versions.set(version.version_id, version)
  count(state, version, 1)
}

/** Removes the version, if it is stored. */
export function removeVersion<Stored extends Version>(
  state: RulebookState,
  entry: RulebookEntry<Stored>,
  versionId: string,
): void {
  const version = entry.versions.get(versionId)
  if (!version) return
  entry.versions.delete(versionId)
  count(state, version, -1)
}

/** Forgets the version of the rule unless it is current, or a recipe pins it. */
export function removeUnusedVersion(
  state: RulebookState,
  id: string,
  versionId: string | undefined,
): void {
  const entry = state.rules.get(id)
  if (!entry || versionId === undefined || entry.current?.version_id === versionId) return
  if (!state.pins.get(formatVersionKey(id, versionId))) removeVersion(state, entry, versionId)
}

/** The id of the rule in the key of one of its versions. */
export function parseRuleId(key: string): string {
  return key.slice(0, key.indexOf('/'))
}

/** Takes versions that recipes pin, as they were found in the log, by key; one that is not among them is nowhere. */
export function addPinnedVersions(
  state: RulebookState,
  wanted: readonly string[],
  found: ReadonlyMap<string, RuleVersion>,
): void {
  for (const key of wanted) {
    const version = found.get(key)
    const entry = state.rules.get(parseRuleId(key))
    if (state.missing.delete(key) && version && entry) storeVersion(state, entry, version)
  }
}

function count({ size }: RulebookState, version: Version, times: 1 | -1): void {
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

/** A name of something in something else; `pinned` is the version of it that is meant, where one is. */
export interface Reference {
  readonly id: string
  readonly pinned?: string | undefined
}

/** What one names, before and after a change of it. */
interface ReferenceChange {
  readonly by: string
  readonly before: readonly Reference[]
  readonly after: readonly Reference[]
}

type Referred = Pick<RulebookEntryMap<RulebookEntry<unknown>>, 'get'>

/** Updates the references after a change. */
export function updateReferences(
  state: RulebookState,
  items: Referred,
  { by, before, after }: ReferenceChange,
): void {
  const named = new Set(after.map(({ id }) => id))
  for (const { id } of before) {
    if (!named.has(id)) items.get(id)?.referrers.delete(by)
  }
  for (const { id } of after) items.get(id)?.referrers.add(by)
  // what stays pinned stays in memory in between
  for (const one of after) pin(state, one)
  for (const one of before) unpin(state, one)
}

function pin(state: RulebookState, { id, pinned }: Reference): void {
  const entry = state.rules.get(id)
  if (pinned === undefined || !entry) return
  const key = formatVersionKey(id, pinned)
  const count = state.pins.get(key) ?? 0
  state.pins.set(key, count + 1)
  if (count === 0 && !entry.versions.has(pinned)) state.missing.add(key)
}

function unpin(state: RulebookState, { id, pinned }: Reference): void {
  if (pinned === undefined) return
  const key = formatVersionKey(id, pinned)
  const count = state.pins.get(key) ?? 0
  if (count > 1) {
    state.pins.set(key, count - 1)
    return
  }
  if (count === 0) return
  state.pins.delete(key)
  state.missing.delete(key)
  removeUnusedVersion(state, id, pinned)
}

/** A copy-on-read branch: entries that are never read are not copied, so that a large rulebook costs no more than a small one. */
export function branchRulebook(state: RulebookState): RulebookState {
  return {
    rules: branchEntries(state.rules),
    recipes: branchEntries(state.recipes),
    flows: branchEntries(state.flows),
    lists: new Map(state.lists),
    pins: branchCounts(state.pins),
    missing: new Set(state.missing),
    size: { ...state.size },
    generation: state.generation,
  }
}

function branchEntries<Item extends RulebookEntry<unknown>>(
  base: RulebookEntryMap<Item>,
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
      if (!found) return undefined
      const copy = copyOf(found)
      own.set(id, copy)
      return copy
    },
    keys: () => [...base.keys(), ...added],
    set: (id, item) => {
      if (!own.has(id) && !base.has(id)) added.add(id)
      own.set(id, item)
    },
  }
}

/** An entry is folded in place. */
function copyOf<Item extends RulebookEntry<unknown>>(entry: Item): Item {
  return { ...entry, versions: new Map(entry.versions), referrers: new Set(entry.referrers) }
}

function branchCounts(base: RulebookState['pins']): RulebookState['pins'] {
  const own = new Map<string, number>()
  return {
    get: (key) => own.get(key) ?? base.get(key),
    set: (key, count) => own.set(key, count),
    delete: (key) => own.set(key, 0).has(key),
  }
}
