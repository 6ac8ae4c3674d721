/** How the rulebook of an account is kept as it was folded, so that the first use after a start need not fold 50,000 events. */

import type { RulebookState } from '../../events/rulebook/rulebook.ts'
import type { SnapshotForm } from '../handling/family.ts'

/** Entries of one part: read and written in about a millisecond. */
const partMax = 100

const kinds = ['rules', 'recipes', 'flows'] as const
type Kind = (typeof kinds)[number]

/** Some entries; the part before them is everything else. */
interface Entries {
  readonly kind: Kind
  readonly entries: readonly (readonly [id: string, entry: never])[]
}

/** What stands in it is as it is held. */
export const rulebookSnapshot: SnapshotForm<RulebookState> = {
  shape: 'rulebook 2',
  parts: function* (state) {
    const { rules: _, recipes: _recipes, flows: _flows, ...rest } = state
    yield rest
    for (const kind of kinds) yield* partsOf(state, kind)
  },
  add: (state, given) => {
    const part = given as Entries | Omit<RulebookState, Kind>
    if (!('kind' in part)) return void Object.assign(state, part)
    for (const [id, entry] of part.entries) state[part.kind].set(id, entry)
  },
}

function* partsOf(state: RulebookState, kind: Kind): Generator<unknown> {
  let entries: unknown[] = []
  for (const id of state[kind].keys()) {
    entries.push([id, state[kind].get(id)])
    if (entries.length < partMax) continue
    yield { kind, entries }
    entries = []
  }
  yield { kind, entries }
}
