/** What authors are shown, and what they try things with. */

import type { Signals } from '../../domain/signals.ts'
import type { Target } from '../../domain/target.ts'
import type { Membership, RecipeStatus } from '../../events/rulebook/rulebook.ts'
import type { OutcomeCounts } from '../../queries/analysis/ruleUsage.ts'

/** One version of a rule, recipe or flow; what the version says stands beside this, as in its view. */
export interface VersionView {
  readonly version_id: string
  /** ISO 8601 UTC. */
  readonly created_at: string
  /** Token id, or `operator`. */
  readonly created_by: string
  /** Of the last time it was made current again. */
  readonly restored_at?: string
  readonly restored_by?: string
  readonly current: boolean
}

/** A name that a rule can read, or, for callers' own, the form of such names. */
export interface SignalView {
  readonly name: string
  readonly type: string
  readonly meaning: string
  readonly sources: readonly string[]
  readonly needs_dispatch: boolean
}

export interface RuleUsageView {
  readonly rule_id: string
  readonly recipe_count: number
  /** At most 1,000, with the place that the rule has in each. */
  readonly recipes: readonly (Omit<Membership, 'rule_id'> & {
    readonly id: string
    readonly name: string
    readonly status: RecipeStatus
  })[]
  readonly flow_count: number
  /** Those that name one of the recipes; at most 1,000. */
  readonly flows: readonly { readonly id: string; readonly name: string }[]
  /** Over the last seven UTC days, today included. */
  readonly evaluations: OutcomeCounts & {
    /** UTC days as in `2026-08-31`, both included. */
    readonly from: string
    readonly to: string
    /** The days on which the rule ran. */
    readonly days: readonly (OutcomeCounts & { readonly day: string })[]
    /** True when the counts are too low, because the rule stands in more flows than are looked at. */
    readonly truncated: boolean
  }
}

/** What is to be taken for arrived when something is tried; canonical, empty signals left out. */
export interface SampleEvidence {
  readonly target: Target
  readonly signals: Signals
  /** Of the dispatch; undefined when none is named. */
  readonly dispatchSignals?: Signals
  /** On which of the account's lists the target stands. */
  readonly lists: { readonly allow: boolean; readonly block: boolean }
  /** The clock of the rules, in milliseconds since the Unix epoch; the service's own when undefined. */
  readonly timeMs?: number
}

/** A rule that stands in a draft only. */
interface DraftRuleInput extends Pick<Membership, 'weight' | 'preempts'> {
  readonly name?: string
  readonly expression: string
}

/** A recipe that stands in a draft only; live unless it says otherwise. */
export interface DraftRecipeInput {
  readonly name?: string
  readonly status?: 'LIVE' | 'SHADOW'
  readonly threshold: number
  readonly rules: readonly (Membership | DraftRuleInput)[]
  readonly base_recipe_id?: string
  readonly parameters?: Readonly<Record<string, string | number | boolean>>
}

export interface DraftFlowInput {
  readonly recipes: readonly (string | DraftRecipeInput)[]
}
