/** A rulebook in which something is tried: it begins as another and leaves that one as it is. */

import type { Entries, Entry, RulebookState } from './rulebook.ts'

/** The branch; what of it is never looked at is not copied, so that a large rulebook costs no more than a small one. */
export function branchRulebook(state: RulebookState): RulebookState {
  return {
    rules: branchEntries(state.rules),
    recipes: branchEntries(state.recipes),
    flows: branchEntries(state.flows),
    lists: new Map(state.lists),
    pins: branchCounts(state.pins),
    lacking: new Set(state.lacking),
    held: { ...state.held },
    generation: state.generation,
  }
}

function branchEntries<Item extends Entry<unknown>>(base: Entries<Item>): Entries<Item> {
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
function copyOf<Item extends Entry<unknown>>(entry: Item): Item {
  return { ...entry, versions: new Map(entry.versions), referrers: [...entry.referrers] }
}

function branchCounts(base: RulebookState['pins']): RulebookState['pins'] {
  const own = new Map<string, number>()
  return {
    get: (key) => own.get(key) ?? base.get(key),
    set: (key, count) => own.set(key, count),
    delete: (key) => own.set(key, 0).has(key),
  }
}
