/** The analysis' part of the service: questions over many recorded evaluations. */

import type { Asking, Call, Page, PageRequest, Seen } from '../../domain/call.ts'
import type { RecipeResult, Verdict } from '../../engine/run/result.ts'
import type { Membership, RecipeStatus } from '../../events/rulebook/rulebook.ts'
import type { TargetReport } from '../../projections/feedback/targets.ts'
import type { ComparedOutcome } from '../../queries/analysis/recipeComparison.ts'
import type { OutcomeCounts, RuleUsage } from '../../queries/analysis/ruleUsage.ts'
import type { TimeAsked } from '../../queries/reading/searchPage.ts'

export interface EvaluationsAsked extends Asking {
  readonly flowId?: string
  readonly verdict?: Verdict
  /** Position in the log; undefined asks for the last ones. */
  readonly after?: number
  /** Position before which the last ones are asked for; never together with `after`. */
  readonly before?: number
  readonly limit: number
}

interface WatchedRecipe
  extends Pick<RecipeResult, 'recipe_id' | 'verdict' | 'score' | 'partial_evidence'> {
  readonly name?: string
}

export interface WatchedEvaluation {
  readonly id: string
  readonly flow_id: string
  /** As it was when it ran, as every name here. */
  readonly flow_name?: string
  /** ISO 8601 UTC. */
  readonly evaluated_at: string
  readonly verdict: Verdict
  readonly position: string
  /** What the caller was answered. */
  readonly recipes: readonly WatchedRecipe[]
  readonly shadow_recipes: readonly WatchedRecipe[]
}

/** Which evaluations are sought; canonical. All that is given must hold. */
export interface SearchAsked extends PageRequest, TimeAsked {
  readonly flowId?: string
  readonly verdict?: Verdict
  readonly phoneNumber?: string
  readonly emailAddress?: string
  readonly ip?: string
  readonly deviceId?: string
  readonly correlationId?: string
}

/** A kind of report on the target of an evaluation, made after it: the last one. */
export interface FollowingReport extends Pick<TargetReport, 'kind' | 'name' | 'confidence'> {
  /** ISO 8601 UTC. */
  readonly last_reported_at: string
}

/** An evaluation with what became of its target, as far as it was reported. */
export interface FollowedEvaluation extends WatchedEvaluation {
  /** In the order in which they were last reported; empty for nothing. */
  readonly followed_by: readonly FollowingReport[]
  /** There may be more kinds than those. */
  readonly followed_by_more?: true
  /** The end user was erased since. */
  readonly forgotten?: true
}

/** In the order of the log. */
interface EvaluationsFound {
  readonly items: readonly WatchedEvaluation[]
  /** The position to go on behind, also when nothing was found. */
  readonly nextAfter: string
  /** Of the last ones: the position before which older ones lie, unless there are none. */
  readonly nextBefore?: string
}

export interface ComparisonAsked extends Asking {
  readonly withId: string
  /** Milliseconds since the Unix epoch, included; a week before the end when undefined. */
  readonly fromMs?: number
  /** The same, excluded; now when undefined. */
  readonly toMs?: number
  readonly cursor?: string
}

export interface ComparisonView {
  readonly recipe_id: string
  readonly with: string
  /** ISO 8601 UTC. */
  readonly from: string
  readonly to: string
  /** Evaluations that were looked at. */
  readonly scanned: number
  readonly agreements: number
  readonly differences: number
  readonly outcomes: readonly ComparedOutcome[]
  /** True when there are more evaluations to look at, from `next_cursor` on. */
  readonly truncated: boolean
  readonly next_cursor?: string
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
  readonly evaluations: OutcomeCounts &
    RuleUsage & {
      /** UTC days as in `2026-08-31`, both included. */
      readonly from: string
      readonly to: string
    }
}

/** Each throws `unavailable` when `minPosition` is not reached in time. */
export interface AnalysisPart {
  /** What a change of the rule would touch. Throws `access_not_enabled`, `not_found`. */
  readonly findRuleUsage: (
    call: Call,
    ruleId: string,
    asking: Asking,
  ) => Promise<Seen<RuleUsageView>>
  /** The account's evaluations behind a position, or the last ones. */
  readonly listEvaluations: (call: Call, asked: EvaluationsAsked) => Promise<Seen<EvaluationsFound>>
  /**
   * The account's evaluations of a person, an address, a device or a time, in the order of time, each with what was reported of its target
   * afterwards. Throws `invalid_request` for what is no cursor of the search.
   */
  readonly searchEvaluations: (
    call: Call,
    asked: SearchAsked,
  ) => Promise<Seen<Page<FollowedEvaluation>>>
  /** How two recipes agreed in the evaluations in which both ran. Throws `not_found`, `invalid_request` for a `with` or a time that cannot be used. */
  readonly compareRecipes: (
    call: Call,
    recipeId: string,
    asked: ComparisonAsked,
  ) => Promise<Seen<ComparisonView>>
}
