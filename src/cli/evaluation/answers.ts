/** The answers about evaluations that are shown in words of our own; a newer service may answer more. */

export interface RuleAnswer {
  readonly rule_id: string
  readonly name?: string
  /** Of a managed rule, in a record. */
  readonly description?: string
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
  readonly not_counted?: readonly SentAnswer[]
}

/** What was sent under some name and did not count. */
export interface SentAnswer {
  readonly value: unknown
  readonly source: string
  readonly reason: string
}

/** The same with its name. */
export interface NotCountedAnswer extends SentAnswer {
  readonly name: string
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
  /** In a record. */
  readonly name?: string
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
  /** What follows is there only in a record, and in an old one not all of it. */
  readonly flow_name?: string
  /** An object once the person it is about has been forgotten. */
  readonly not_counted?: readonly NotCountedAnswer[] | { readonly forgotten: true }
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
  readonly not_counted: readonly NotCountedAnswer[]
}

/** A flow, or a draft of it, tried. */
export interface FlowTestAnswer {
  readonly flow_id: string
  readonly flow_name: string
  readonly verdict: string
  readonly explanation: readonly RecipeAnswer[]
  readonly not_counted: readonly NotCountedAnswer[]
}

/** One line of the evaluations as they happen. */
export interface WatchedAnswer {
  readonly id: string
  readonly flow_id: string
  readonly flow_name?: string
  readonly evaluated_at: string
  readonly verdict: string
  readonly recipes: readonly Pick<
    RecipeAnswer,
    'recipe_id' | 'name' | 'verdict' | 'score' | 'partial_evidence'
  >[]
}
