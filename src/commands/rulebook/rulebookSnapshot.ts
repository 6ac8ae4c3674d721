/** A rulebook as a snapshot keeps it. */

import { weightOf } from '../../domain/weightOf.ts'
import type { NamedList } from '../../events/rulebook/namedLists.ts'
import {
  type Entry,
  emptyRulebook,
  type RecipeEntry,
  type RecipeVersion,
  type RulebookState,
  type RuleEntry,
} from '../../events/rulebook/rulebook.ts'
import { sharedMember } from '../../events/rulebook/sharedMembers.ts'
import { versionKey } from '../../events/rulebook/versionEvents.ts'
import type { SnapshotForm } from '../handling/family.ts'

/** A part ends with the entry that brings it to so many bytes. */
const partBytes = 256 * 1024

interface Version {
  readonly version_id: string
}

/** An entry: its id, the id of its current version (null once retired), the versions held, who names it, and what else it has. */
type Row = readonly [
  id: string,
  current: string | null,
  versions: readonly Version[],
  referrers: readonly string[],
  more: Partial<Pick<RecipeEntry, 'status'> & Pick<RuleEntry, 'places'>>,
]

type Kind = 'rules' | 'recipes' | 'flows'

type Part =
  | {
      readonly generation: number
      readonly bytes: number
      readonly lacking: readonly string[]
      readonly lists: readonly (readonly [string, NamedList])[]
    }
  | { readonly kind: Kind; readonly rows: readonly Row[] }

/** To be given another shape whenever what the events add up to is another, or is kept in another way. */
export const rulebookSnapshot: SnapshotForm<RulebookState> = {
  shape: 'rulebook 3',
  take: (state) => {
    const { generation, bytes, lacking, lists } = state
    const first: Part = { generation, bytes, lacking: [...lacking], lists: [...lists] }
    const rows = kinds.map((kind) => ({ kind, rows: rowsOf(state[kind]) }))
    return partsOf(first, rows)
  },
  build: () => {
    const state = emptyRulebook()
    return {
      add: (part) => add(state, part as Part),
      state: () => withPins(state),
    }
  },
}

const kinds = ['rules', 'recipes', 'flows'] as const satisfies readonly Kind[]

/** A copy, as far as the rulebook is folded in place. */
function rowsOf(entries: RulebookState[Kind]): readonly Row[] {
  const rows: Row[] = []
  for (const id of entries.keys()) {
    const entry = entries.get(id)
    if (!entry) continue
    const { current, versions, referrers, ...more } = entry
    rows.push([id, current?.version_id ?? null, [...versions.values()], [...referrers], more])
  }
  return rows
}

function* partsOf(
  first: Part,
  all: readonly { readonly kind: Kind; readonly rows: readonly Row[] }[],
): Generator<Part> {
  yield first
  for (const { kind, rows } of all) {
    let part: Row[] = []
    let bytes = 0
    for (const row of rows) {
      part.push(row)
      bytes += row[2].reduce((sum, version) => sum + weightOf(version), rowBytes)
      if (bytes < partBytes) continue
      yield { kind, rows: part }
      part = []
      bytes = 0
    }
    yield { kind, rows: part }
  }
}

const rowBytes = 100

type Building = ReturnType<typeof emptyRulebook>

function add(state: Building, part: Part): void {
  if (!('kind' in part)) {
    state.generation = part.generation
    state.bytes = part.bytes
    for (const key of part.lacking) state.lacking.add(key)
    for (const [id, list] of part.lists) state.lists.set(id, list)
    return
  }
  const entries = state[part.kind] as Map<string, Entry<Version>>
  for (const [id, current, held, referrers, more] of part.rows) {
    const versions = new Map(held.map((version) => [version.version_id, sharing(state, version)]))
    const entry = {
      current: current === null ? undefined : versions.get(current),
      versions,
      referrers: [...referrers],
      ...more,
    }
    entries.set(id, entry)
  }
}

/** What recipes share is one again. */
function sharing(state: Building, version: Version): Version | RecipeVersion {
  if (!('rules' in version)) return version
  const recipe: RecipeVersion = version as RecipeVersion
  return { ...recipe, rules: recipe.rules.map((member) => sharedMember(state, member)) }
}

/** Pins are counted again from what names them. */
function withPins(state: Building): Building {
  for (const { current } of state.recipes.values()) {
    for (const { rule_id, version_id } of current?.rules ?? []) {
      if (version_id === undefined || !state.rules.has(rule_id)) continue
      const key = versionKey(rule_id, version_id)
      state.pins.set(key, (state.pins.get(key) ?? 0) + 1)
    }
  }
  return state
}
