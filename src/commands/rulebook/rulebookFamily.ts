/** Rulebooks in memory: how their events add up, and how much the rulebook of an account may hold. */

import { Failure } from '../../domain/failure.ts'
import { branchRulebook } from '../../events/rulebook/branchRulebook.ts'
import {
  emptyManagedRulebook,
  evolveManagedRulebook,
  type ManagedEvent,
  type ManagedRulebook,
  trimManagedRulebook,
} from '../../events/rulebook/managedRulebook.ts'
import {
  emptyRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../events/rulebook/rulebook.ts'
import type { Family } from '../handling/family.ts'
import { type Limited, rulebookLimits } from './rulebookLimits.ts'
import { rulebookSnapshot } from './rulebookSnapshot.ts'

/** Bytes of memory, by measurement: of a rule, recipe or flow, and of a place of a rule in a recipe. */
const entryBytes = 900
const membershipBytes = 160

export const rulebookFamily = {
  initial: emptyRulebook,
  evolve: evolveRulebook,
  lacks: ({ lacking }) => lacking.size > 0,
  admit: assertRulebookLimits,
  weigh: (state) => {
    const { rules, recipes, flows, memberships, text, compiled } = countsOf(state)
    return entryBytes * (rules + recipes + flows) + membershipBytes * memberships + text + compiled
  },
  snapshot: rulebookSnapshot,
} as const satisfies Family<RulebookState, RulebookEvent>

export const managedFamily: Family<ManagedRulebook, ManagedEvent> = {
  initial: emptyManagedRulebook,
  evolve: evolveManagedRulebook,
  trim: trimManagedRulebook,
  // there is one, which is always held
  weigh: () => 0,
}

type Counts = Readonly<Record<Limited, number>>

function countsOf({ rules, recipes, flows, held }: RulebookState): Counts {
  return { rules: rules.size, recipes: recipes.size, flows: flows.size, ...held }
}

const units: Readonly<Record<Limited, string>> = {
  rules: 'rules, deleted ones included',
  recipes: 'recipes, deleted ones included',
  flows: 'flows, deleted ones included',
  memberships: 'rules in all recipes together',
  text: 'characters of names, expressions and parameters',
  compiled: 'characters of rules as they are compiled',
}

/**
 * Throws `conflict` when the events would make the rulebook larger than it may be. What makes it no larger is never refused, so that
 * one which is too large already can be mended and made smaller.
 */
export function assertRulebookLimits(state: RulebookState, events: readonly RulebookEvent[]): void {
  const before = countsOf(state)
  const branch = branchRulebook(state)
  for (const event of events) evolveRulebook(branch, event)
  const after = countsOf(branch)
  for (const kind of Object.keys(units) as Limited[]) {
    if (after[kind] <= rulebookLimits[kind] || after[kind] <= before[kind]) continue
    const message = `An account may have ${rulebookLimits[kind]} ${units[kind]}, and would have ${after[kind]}.`
    throw new Failure('conflict', message)
  }
}
