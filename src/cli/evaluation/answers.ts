/** The answers about evaluations that are shown in words of our own; a newer service may answer more. */

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
