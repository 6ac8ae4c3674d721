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
import { assertRulebookRoom } from './rulebookRoom.ts'

export const rulebookFamily = {
  initial: emptyRulebook,
  evolve: evolveRulebook,
  trim: trimRulebook,
  lacks: lacksVersions,
  weigh: ({ bytes }) => bytes,
} as const satisfies Family<RulebookState, RulebookEvent>

/** The same, of rulebooks that may take so many bytes each, by estimate. */
export function boundedRulebooks(bytesMax: number): Family<RulebookState, RulebookEvent> {
  return {
    ...rulebookFamily,
    admit: (state, events) => assertRulebookRoom(state, events, bytesMax),
  }
}

export const managedFamily: Family<ManagedRulebook, ManagedEvent> = {
  initial: emptyManagedRulebook,
  evolve: evolveManagedRulebook,
  trim: trimManagedRulebook,
  // there is one, which is always held
  weigh: () => 0,
}
