/** Declares the plan of a flow: pinned versions resolved, expressions included. */

import type { Expression } from '../language/expression.ts'

export interface PlannedRule {
  readonly rule_id: string
  readonly type: 'MANAGED' | 'CUSTOM'
  readonly name: string
  readonly version_id: string
  readonly weight: number
  readonly preempts?: 'FLAG' | 'PASS'
  /** Absent when the version that should run cannot run here: the rule reports `unavailable` (design 4.7). */
  readonly expression?: Expression
}

/** A rule of a plan without its expression. */
export type PlannedRuleInfo = Omit<PlannedRule, 'expression'>

export interface PlannedRecipe<Rule = PlannedRule> {
  readonly recipe_id: string
  readonly version_id: string
  readonly status: 'LIVE' | 'SHADOW'
  readonly threshold: number
  readonly rules: readonly Rule[]
}

/** In the flow's order; recipes that are neither live nor shadow are not in it. */
export interface Plan<Rule = PlannedRule> {
  readonly flow_id: string
  readonly flow_version_id: string
  /** The version of the evaluator's meaning under which this plan runs. */
  readonly semantics: number
  readonly recipes: readonly PlannedRecipe<Rule>[]
}
