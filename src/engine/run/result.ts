/** Declares the results of a run: verdicts, scores and rule outcomes (spec 2.4 to 2.6). */

export type Verdict = 'PASS' | 'FLAG'
export type Outcome = 'TRIGGERED' | 'NOT_TRIGGERED' | 'NOT_EVALUATED' | 'SKIPPED'

/** Spec 2.6; fields in the order they are answered. */
export interface RuleResult {
  readonly rule_id: string
  readonly type: 'MANAGED' | 'CUSTOM'
  readonly name?: string
  readonly version_id?: string
  readonly weight: number
  readonly outcome: Outcome
  readonly blocked_by?: string
  readonly unavailable?: true
}

/** Spec 2.5. */
export interface RecipeResult {
  readonly recipe_id: string
  readonly threshold: number
  readonly score: number
  readonly verdict: Verdict
  readonly partial_evidence: boolean
  readonly determined_by?: string
  readonly rules: readonly RuleResult[]
}

export interface FlowResult {
  readonly verdict: Verdict
  /** The live recipes, in the flow's order: what the caller is answered. */
  readonly recipes: readonly RecipeResult[]
  /** The shadow recipes, in the flow's order: recorded, never answered. */
  readonly shadow: readonly RecipeResult[]
}
