/** How the events of rulebooks add up in memory: an account's, and the operator's. */

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
import { lacksVersions, trimRulebook } from '../../events/rulebook/trimRulebook.ts'
import type { Family } from '../handling/family.ts'
import { rulebookSnapshot } from './rulebookSnapshot.ts'

export const rulebookFamily: Family<RulebookState, RulebookEvent> = {
  initial: emptyRulebook,
  evolve: evolveRulebook,
  trim: trimRulebook,
  lacks: lacksVersions,
  weigh: ({ bytes }) => bytes,
  snapshot: rulebookSnapshot,
}

export const managedFamily: Family<ManagedRulebook, ManagedEvent> = {
  initial: emptyManagedRulebook,
  evolve: evolveManagedRulebook,
  trim: trimManagedRulebook,
  // there is one, which is always held
  weigh: () => 0,
}
