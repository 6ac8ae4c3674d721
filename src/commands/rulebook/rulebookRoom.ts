/** Rulebooks in memory: how their events add up, and how much memory that of one account may take on every instance. */

import { Failure } from '../../domain/failure.ts'
import { entryBytes } from '../../events/rulebook/entries.ts'
import {
  emptyManagedRulebook,
  evolveManagedRulebook,
  type ManagedEvent,
  type ManagedRulebook,
  trimManagedRulebook,
} from '../../events/rulebook/managedRulebook.ts'
import { evolveNamedLists } from '../../events/rulebook/namedLists.ts'
import { pinBytes, referrerBytes } from '../../events/rulebook/references.ts'
import {
  type Entry,
  emptyRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
  ruleVersionOf,
} from '../../events/rulebook/rulebook.ts'
import { sharedMember } from '../../events/rulebook/sharedMembers.ts'
import { lacksVersions, trimRulebook } from '../../events/rulebook/trimRulebook.ts'
import { versionBytes } from '../../events/rulebook/versionBytes.ts'
import { versionKey } from '../../events/rulebook/versionEvents.ts'
import type { Family } from '../handling/family.ts'
import { rulebookSnapshot } from './rulebookSnapshot.ts'

export const rulebookFamily = {
  initial: emptyRulebook,
  evolve: evolveRulebook,
  trim: trimRulebook,
  lacks: lacksVersions,
  weigh: ({ bytes }) => bytes,
  snapshot: rulebookSnapshot,
} as const satisfies Family<RulebookState, RulebookEvent>

export const managedFamily: Family<ManagedRulebook, ManagedEvent> = {
  initial: emptyManagedRulebook,
  evolve: evolveManagedRulebook,
  trim: trimManagedRulebook,
  // there is one, which is always held
  weigh: () => 0,
}

const mib = 1024 * 1024

/** By estimate, as `RulebookState.bytes` counts it; and the most of the heap, where that is small. */
const bytesMax = 192 * mib
const heapPart = 3 / 8

/** What one rulebook may take in a process whose heap may grow so far. */
export function rulebookBytesMax(heapBytes: number): number {
  return Math.min(bytesMax, heapBytes * heapPart)
}

/**
 * Throws `conflict` when the events would make the rulebook larger than it may be. What makes it no larger is never refused, so that
 * one which is too large already can be mended and made smaller.
 */
export function assertRulebookRoom(
  state: RulebookState,
  events: readonly RulebookEvent[],
  max: number,
): void {
  const growth = events.reduce((sum, event) => sum + growthBy(state, event), 0)
  if (growth <= 0 || state.bytes + growth <= max) return
  const message = `The rules, recipes and flows of an account may take ${inMib(max)} of memory, by estimate, and would take ${inMib(state.bytes + growth)}.`
  throw new Failure('conflict', `${message} Make them smaller, or delete some.`)
}

/** By about how many bytes the rulebook grows when the event is folded and what it makes old is forgotten. */
function growthBy(state: RulebookState, event: RulebookEvent): number {
  switch (event.type) {
    case 'RulePublished':
    case 'RuleRestored': {
      const { rule_id } = event.data
      const entry = state.rules.get(rule_id)
      const isPinned = (id: string) => (state.pins.get(versionKey(rule_id, id)) ?? 0) > 0
      const old = entry?.current && !isPinned(entry.current.version_id) ? entry.current : undefined
      const made = entry?.versions.has(event.data.version_id)
        ? 0
        : versionBytes(state, ruleVersionOf(event.data))
      return entryGrowth(entry) + made - (old ? versionBytes(state, old) : 0)
    }
    case 'RecipePublished':
    case 'RecipeRestored': {
      const { recipe_id, status: _, ...content } = event.data
      const rules = content.rules.map((member) => sharedMember(state, member))
      return growthOf(state, state.recipes.get(recipe_id), { ...content, rules })
    }
    case 'FlowPublished':
    case 'FlowRestored': {
      const { flow_id, ...version } = event.data
      return growthOf(state, state.flows.get(flow_id), version)
    }
    case 'RuleRetired':
      return -heldBytes(state, state.rules.get(event.data.rule_id)?.current)
    case 'RecipeRetired':
      return -heldBytes(state, state.recipes.get(event.data.recipe_id)?.current)
    case 'FlowRetired':
      return -heldBytes(state, state.flows.get(event.data.flow_id)?.current)
    case 'RecipeStatusSet':
      return 0
    default:
      return evolveNamedLists(new Map(state.lists), event)
  }
}

function growthOf<Version extends object>(
  state: RulebookState,
  entry: Entry<Version> | undefined,
  version: Version,
): number {
  return entryGrowth(entry) + heldBytes(state, version) - heldBytes(state, entry?.current)
}

function entryGrowth(entry: object | undefined): number {
  return entry ? 0 : entryBytes
}

/** What a version takes, with what is noted of it where it names others. */
function heldBytes(state: RulebookState, version: object | undefined): number {
  if (!version) return 0
  const { rules = [], recipes = [] } = version as Naming
  const pins = rules.filter(({ version_id }) => version_id !== undefined).length
  const names = rules.length + recipes.length
  return versionBytes(state, version) + names * referrerBytes + pins * pinBytes
}

interface Naming {
  readonly rules?: readonly { readonly version_id?: string }[]
  readonly recipes?: readonly string[]
}

function inMib(bytes: number): string {
  return `${(bytes / mib).toFixed(1)} MiB`
}

/** The same, of rulebooks that may take so many bytes each, by estimate. */
export function boundedRulebooks(bytesMax: number): Family<RulebookState, RulebookEvent> {
  return {
    ...rulebookFamily,
    admit: (state, events) => assertRulebookRoom(state, events, bytesMax),
  }
}
