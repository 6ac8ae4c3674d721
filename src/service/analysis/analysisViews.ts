/** What analysts ask over many evaluations, and are shown. */

import type { Verdict } from '../../engine/run/result.ts'
import type { ComparedOutcome } from '../../queries/analysis/recipeComparison.ts'

export interface EvaluationsAsked {
  readonly minPosition?: number
  readonly flowId?: string
  readonly verdict?: Verdict
  /** Position in the log; undefined asks for the last ones. */
  readonly after?: number
  readonly limit: number
}

interface WatchedRecipe {
  readonly recipe_id: string
  readonly verdict: Verdict
  readonly score: number
  readonly partial_evidence: boolean
}

export interface WatchedEvaluation {
  readonly id: string
  readonly flow_id: string
  /** ISO 8601 UTC. */
  readonly evaluated_at: string
  readonly verdict: Verdict
  readonly position: string
  /** What the caller was answered. */
  readonly recipes: readonly WatchedRecipe[]
  readonly shadow_recipes: readonly WatchedRecipe[]
}

/** In the order of the log. */
export interface EvaluationsFound {
  readonly items: readonly WatchedEvaluation[]
  /** The position to go on behind, also when nothing was found. */
  readonly nextAfter: string
}

export interface ComparisonAsked {
  readonly minPosition?: number
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
