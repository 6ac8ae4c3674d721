/** A rulebook as a snapshot keeps it. */

import { weightOf } from '../../domain/weightOf.ts'
import type { NamedList } from '../../events/rulebook/namedLists.ts'
import {
  type Entry,
  emptyRulebook,
  type RecipeEntry,
  type RecipeStatus,
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
    const all = kinds.map((kind) => ({ kind, taken: takenOf(state[kind]) }))
    return partsOf(first, all)
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

/** An entry as it was, whatever becomes of it; a row that is not written yet. */
interface Taken {
  readonly id: string
  readonly current: Version | undefined
  /** Undefined for the current one alone. */
  readonly versions: readonly Version[] | undefined
  readonly referrers: readonly string[]
  readonly more: Row[4]
}

const nobody: readonly string[] = []

/** A copy, as far as the rulebook is folded in place: made at once, so that there is as little of it as can be. */
function takenOf(entries: RulebookState[Kind]): readonly Taken[] {
  const taken: Taken[] = []
  for (const id of entries.keys()) {
    const entry: Entry<Version> | undefined = entries.get(id)
    if (!entry) continue
    const { current, versions, referrers } = entry
    taken.push({
      id,
      current,
      versions: current && versions.size === 1 ? undefined : [...versions.values()],
      referrers: referrers.length === 0 ? nobody : referrers.slice(),
      more: moreOf(entry),
    })
  }
  return taken
}

const noMore: Row[4] = {}

function moreOf(entry: Entry<Version> | RecipeEntry | RuleEntry): Row[4] {
  if ('status' in entry) return statuses[entry.status]
  return 'places' in entry ? { places: entry.places } : noMore
}

/** One of each for all recipes. */
const statuses: Readonly<Record<RecipeStatus, Row[4]>> = {
  DRAFT: { status: 'DRAFT' },
  SHADOW: { status: 'SHADOW' },
  LIVE: { status: 'LIVE' },
  INACTIVE: { status: 'INACTIVE' },
}

function rowOf({ id, current, versions, referrers, more }: Taken): Row {
  return [id, current?.version_id ?? null, versions ?? (current ? [current] : []), referrers, more]
}

function* partsOf(
  first: Part,
  all: readonly { readonly kind: Kind; readonly taken: readonly Taken[] }[],
): Generator<Part> {
  yield first
  for (const { kind, taken } of all) {
    let part: Row[] = []
    let bytes = 0
    for (const one of taken) {
      const row = rowOf(one)
      part.push(row)
      bytes += row[2].reduce((sum, version) => sum + weightOf(version), rowBytes)
      bytes += row[3].length * referrerBytes
      if (bytes < partBytes) continue
      yield { kind, rows: part }
      part = []
      bytes = 0
    }
    yield { kind, rows: part }
  }
}

/** Of a row beside its versions, and of one who names it. */
const rowBytes = 100
const referrerBytes = 34

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
