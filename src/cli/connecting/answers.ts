/** The answers of the service that are shown in words of our own; a newer service may answer more. */

export interface RuleAnswer {
  readonly rule_id: string
  readonly name?: string
  readonly type: string
  readonly weight: number
  readonly outcome: string
  readonly blocked_by?: string
  readonly unavailable?: boolean
  /** What follows is there only in an explanation. */
  readonly expression?: string
  readonly reads?: readonly ReadAnswer[]
  readonly parts?: PartAnswer
}

export interface ReadAnswer {
  readonly name: string
  readonly use: string
  readonly convert?: string
  readonly needed?: false
  readonly arrived: boolean
  readonly value?: unknown
  readonly source?: string
}

/** A sub-expression and what it gave. */
export interface PartAnswer {
  readonly text: string
  readonly state: string
  readonly value?: unknown
  readonly needed?: boolean
  readonly parts?: readonly PartAnswer[]
}

export interface RecipeAnswer {
  readonly recipe_id: string
  readonly status?: string
  readonly threshold: number
  readonly score: number
  readonly verdict: string
  readonly partial_evidence: boolean
  readonly determined_by?: string
  readonly rules: readonly RuleAnswer[]
}

export interface VerdictAnswer {
  readonly id: string
  readonly verdict: string
  readonly recipes: readonly RecipeAnswer[]
}

/** A recorded evaluation, as far as it is shown. */
export interface EvaluationAnswer extends VerdictAnswer {
  readonly flow_id: string
  readonly flow_version_id: string
  readonly evaluated_at: string
  readonly dispatch: string
  /** An object once the person it is about has been forgotten. */
  readonly explanation: readonly RecipeAnswer[] | { readonly forgotten: true }
  readonly shadow_recipes: readonly RecipeAnswer[]
  readonly semantics_version: number
  readonly result_hash: string
  readonly position: string
}

/** An unsaved rule tried. */
export interface RuleTestAnswer {
  readonly outcome: string
  readonly blocked_by?: string
  readonly unavailable?: boolean
  readonly expression: string
  readonly reads: readonly ReadAnswer[]
  readonly parts: PartAnswer
}

/** A flow, or a draft of it, tried. */
export interface FlowTestAnswer {
  readonly flow_id: string
  readonly verdict: string
  readonly explanation: readonly RecipeAnswer[]
}

interface OutcomeCounts {
  readonly count: number
  readonly triggered: number
  readonly not_triggered: number
  readonly missing_data: number
  readonly unavailable: number
  readonly skipped: number
}

/** Who names a rule, and what it has come to lately. */
export interface RuleUsageAnswer {
  readonly rule_id: string
  readonly recipe_count: number
  readonly recipes: readonly {
    readonly id: string
    readonly name: string
    readonly status: string
    readonly weight: number
    readonly preempts?: string
    readonly version_id?: string
  }[]
  readonly flow_count: number
  readonly flows: readonly { readonly id: string; readonly name: string }[]
  readonly evaluations: OutcomeCounts & {
    readonly from: string
    readonly to: string
    readonly days: readonly (OutcomeCounts & { readonly day: string })[]
    readonly truncated: boolean
  }
}

/** Evaluations in which two recipes came to these verdicts. */
export interface ComparedAnswer {
  readonly recipe: string
  readonly with: string
  readonly partial_evidence: boolean
  readonly evaluations: number
  /** Ids of the newest. */
  readonly examples: readonly string[]
}

export interface ComparisonAnswer {
  readonly recipe_id: string
  readonly with: string
  readonly from: string
  readonly to: string
  readonly scanned: number
  readonly agreements: number
  readonly differences: number
  readonly outcomes: readonly ComparedAnswer[]
  /** Whether there are older ones that were not looked at. */
  readonly truncated: boolean
  readonly next_cursor?: string
}

/** A name that a rule can read. */
export interface SignalAnswer {
  readonly name: string
  readonly type: string
  readonly meaning: string
  readonly sources: readonly string[]
  readonly needs_dispatch: boolean
}

/** One line of the evaluations as they happen. */
export interface WatchedAnswer {
  readonly id: string
  readonly flow_id: string
  readonly evaluated_at: string
  readonly verdict: string
  readonly recipes: readonly Pick<
    RecipeAnswer,
    'recipe_id' | 'verdict' | 'score' | 'partial_evidence'
  >[]
}

export interface ParkedAnswer {
  readonly position: number
  readonly type: string
  readonly sequence: string
  readonly error?: string
}

export interface RetryAnswer {
  readonly name: string
  readonly applied: number
  readonly parked: number
  /** The first of them. */
  readonly parked_events: readonly ParkedAnswer[]
  readonly error?: string
}

export interface ProjectionAnswer extends Omit<RetryAnswer, 'applied'> {
  readonly version: number
  readonly status: string
  readonly position: number
  readonly lag: number
}
