/** Several changes of a rulebook at once, as authors ask for them and are answered. */

import type { Call, Written } from '../../domain/call.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import type { Warning } from '../../domain/warning.ts'
import type { NamedList } from '../../events/rulebook/namedLists.ts'
import type { FlowInput, RecipeInput, RuleInput } from './rulebookPart.ts'

/** Under which a request names them, in the order in which one can refer to another. */
export const kindNames = ['lists', 'rules', 'recipes', 'flows'] as const

export type KindName = (typeof kindNames)[number]

/** A change of one list, rule, recipe or flow: without an id a new one. */
export interface ResourceChange<Input> {
  readonly id?: string
  /** The entity tag that it must still have, quotes included. */
  readonly if_match?: string
  /** What it is to say; absent when it is to be deleted. */
  readonly content?: Input
  readonly delete?: true
}

/**
 * Lists are written before rules, those before recipes, and those before flows; what is to be deleted goes the other way round, after all of that. What the
 * request makes is named by its place in the request, `rules.0` or `recipes.0`, wherever an id is wanted.
 */
export interface RulebookChanges {
  /** What lists are, not what stands on them. */
  readonly lists?: readonly ResourceChange<NamedList>[]
  readonly rules?: readonly ResourceChange<RuleInput>[]
  readonly recipes?: readonly ResourceChange<RecipeInput>[]
  readonly flows?: readonly ResourceChange<FlowInput>[]
  /** Whether it is only to be found out if they could be made. */
  readonly dry_run?: boolean
}

export interface ChangesAsked {
  readonly changes: RulebookChanges
  /** What is wrong with the form of the contents, by the place of the change (`rules.0`); such a content is not looked at. */
  readonly faults: ReadonlyMap<string, readonly FailureDetail[]>
}

/** What became of one of them, in the place it has in the request. */
export interface ChangedResource {
  /** Absent for one that a dry run would have made. */
  readonly id?: string
  /** Absent for what is deleted, after a dry run, and for lists, which have no versions. */
  readonly version_id?: string
  /** Whether there was anything to change. */
  readonly changed: boolean
}

export interface ChangedRulebook {
  readonly lists: readonly ChangedResource[]
  readonly rules: readonly ChangedResource[]
  readonly recipes: readonly ChangedResource[]
  readonly flows: readonly ChangedResource[]
  /** What in them is probably not what was meant, each under its place in the request; absent when there is nothing. */
  readonly warnings?: readonly Warning[]
}

export interface RulebookChanging {
  /**
   * Several changes at once: all of them in one write, or none. Throws one failure with a detail for everything that is wrong with any
   * of them, and `payload_too_large` for more than one write can hold.
   */
  readonly changeRulebook: (call: Call, asked: ChangesAsked) => Promise<Written<ChangedRulebook>>
}
