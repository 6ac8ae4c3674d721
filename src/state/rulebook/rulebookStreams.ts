/** Declares the stream types and contexts of own and managed rulebooks; enforces size limits. */

import { Failure } from '../../domain/failure.ts'
import type { LoadContext } from '../../domain/load/scheduler.ts'
import { dateSeries } from '../../events/rulebook/keptSeries.ts'
import {
  createManagedRulebook,
  evolveManagedRulebook,
  type ManagedRulebook,
  type ManagedRulebookEvent,
} from '../../events/rulebook/managedRulebook.ts'
import {
  createRulebook,
  evolveRulebook,
  managedStream,
  type RulebookEvent,
  type RulebookState,
} from '../../events/rulebook/rulebook.ts'
import { branchRulebook } from '../../events/rulebook/updateRulebook.ts'
import type { AccountStreams } from '../accounts/requireAccess.ts'
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'
import type { SnapshotForm, StreamType } from '../folding/streamType.ts'
import type { VersionContext } from './earlierVersions.ts'
import { type LimitedResource, rulebookLimits } from './rulebookLimits.ts'

/** Entries of one part: read and written in about a millisecond. */
const partMax = 100

type Kind = 'rules' | 'recipes' | 'flows'

/** Some entries; the part before them is everything else. */
interface Entries {
  readonly kind: Kind
  readonly entries: readonly (readonly [id: string, entry: never])[]
}

/** Entries are written as they are in memory. */
const rulebookSnapshot: SnapshotForm<RulebookState> = {
  shape: 'rulebook 7',
  parts: function* ({ rules, recipes, flows, ...rest }) {
    yield rest
    for (const [kind, items] of Object.entries({ rules, recipes, flows })) {
      const ids = [...items.keys()]
      for (let from = 0; from < ids.length; from += partMax) {
        const entries = ids.slice(from, from + partMax).map((id) => [id, items.get(id)])
        yield { kind, entries }
      }
    }
  },
  add: (state, given) => {
    const part = given as Entries | Omit<RulebookState, Kind>
    if (!('kind' in part)) return void Object.assign(state, part)
    for (const [id, entry] of part.entries) state[part.kind].set(id, entry)
  },
}

/** Bytes of memory, by measurement: of a rule, recipe or flow, and of a membership. */
const entryBytes = 1_000
const membershipBytes = 160

export const rulebookStreamType = {
  initial: createRulebook,
  evolve: evolveRulebook,
  date: ({ counters }, timeMs) => dateSeries(counters, timeMs),
  estimateBytes: (state) => {
    const { rules, recipes, flows, memberships, text, compiled } = countResources(state)
    return entryBytes * (rules + recipes + flows) + membershipBytes * memberships + text + compiled
  },
  snapshot: rulebookSnapshot,
} as const satisfies StreamType<RulebookState, RulebookEvent>

export const managedStreamType: StreamType<ManagedRulebook, ManagedRulebookEvent> = {
  initial: createManagedRulebook,
  evolve: evolveManagedRulebook,
  // there is one, which is always in memory
  estimateBytes: () => 0,
}

type Counts = Readonly<Record<LimitedResource, number>>

function countResources({ rules, recipes, flows, counters, size }: RulebookState): Counts {
  return {
    rules: rules.size,
    recipes: recipes.size,
    flows: flows.size,
    counters: counters.size,
    ...size,
  }
}

const units: Readonly<Record<LimitedResource, string>> = {
  rules: 'rules, deleted ones included',
  recipes: 'recipes, deleted ones included',
  flows: 'flows, deleted ones included',
  memberships: 'rules in all recipes together',
  text: 'characters of names, expressions and parameters',
  compiled: 'characters of rules as they are compiled',
  counters:
    'different counters in its rules (pinned versions count; those that differ only by the window are one)',
}

/**
 * Throws `conflict` when the events would make the rulebook larger than it may be. What makes it no larger is never
 * refused, so that one which is too large already can be mended and made smaller.
 */
export function assertRulebookLimits(state: RulebookState, events: readonly RulebookEvent[]): void {
  const before = countResources(state)
  const branch = branchRulebook(state)
  for (const event of events) evolveRulebook(branch, event)
  const after = countResources(branch)
  for (const kind of Object.keys(units) as LimitedResource[]) {
    if (after[kind] <= rulebookLimits[kind] || after[kind] <= before[kind]) continue
    const message = `An account may have ${rulebookLimits[kind]} ${units[kind]}, and would have ${after[kind]}.`
    throw new Failure('conflict', message)
  }
}

/** An account's rulebook and the operator's: recipes may name rules of both. */
export interface Rulebooks {
  readonly own: RulebookState
  readonly managed: ManagedRulebook
}

export interface RulebookStreams {
  readonly rulebooks: FoldedStreamCache<RulebookState, RulebookEvent>
  /** Of one stream only, in memory from the start; see `managedRulebook`. */
  readonly managed: FoldedStreamCache<ManagedRulebook, ManagedRulebookEvent>
}

export interface RulebookContext
  extends AccountStreams,
    RulebookStreams,
    VersionContext,
    LoadContext {}

/**
 * The managed rules and recipes as this instance has followed them: one object, folded in place. Commands and
 * evaluations ask `managed.folded` first, which reads on when the log is not followed.
 */
export function requireManagedRulebook({
  managed,
}: Pick<RulebookStreams, 'managed'>): ManagedRulebook {
  const folded = managed.peek(managedStream)
  if (!folded) throw new Error('the managed rulebook has not been opened')
  return folded.state
}
