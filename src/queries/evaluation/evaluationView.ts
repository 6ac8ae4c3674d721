/** Declares the views of evaluations, recorded or tested. */

import type { Warning } from '../../domain/warning.ts'
import type { ExplainedRecipe } from '../../engine/explain/explain.ts'
import type { EvidenceItem, NotCounted } from '../../engine/run/evidence.ts'
import type { PlannedRecipe } from '../../engine/run/plan.ts'
import type { RecipeResult, RuleResult, Verdict } from '../../engine/run/result.ts'
import type { FlowEvaluated } from '../../events/evaluation/evaluation.ts'
import type { Forgotten } from '../../events/recording/sealing.ts'

/** A rule's result with what customers are told of a managed rule, in the version that ran. */
export type Described<Rule extends Pick<RuleResult, 'rule_id' | 'type'>> = Omit<
  Rule,
  'rule_id' | 'type'
> &
  Pick<RuleResult, 'rule_id' | 'type'> & { readonly description?: string }

/** A recipe's result for people, with what the recipe and its managed rules are called. */
export type Named<Recipe extends RecipeResult> = Omit<Recipe, 'recipe_id' | 'rules'> & {
  readonly recipe_id: string
  readonly name?: string
  readonly rules: readonly Described<Recipe['rules'][number]>[]
}

/** Something that arrived, as rules name it; times in ISO 8601. */
export interface EvidenceView extends EvidenceItem {
  readonly name: string
}

/** A signal or field that was sent and did not count. */
export interface NotCountedView extends NotCounted {
  /** The field that was most likely meant by an unknown one; absent where none is near. */
  readonly suggestion?: string
}

/** What a run of a flow came to. */
interface Ran {
  readonly flow_id: string
  /** Of the version that ran. */
  readonly flow_name?: string
  readonly verdict: Verdict
  readonly recipes: readonly Named<RecipeResult>[]
  readonly shadow_recipes: readonly Named<RecipeResult>[]
  readonly semantics_version: number
}

/** A recorded evaluation. What has been erased with the person it was about is marked so. */
export interface EvaluationView extends Ran {
  readonly id: string
  readonly flow_version_id: string
  /** ISO 8601 UTC. */
  readonly evaluated_at: string
  readonly dispatch: FlowEvaluated['dispatch']
  /** What the caller knows a prediction by; absent without one, and once it is forgotten. */
  readonly correlation_id?: string
  readonly evidence: readonly EvidenceView[] | Forgotten
  readonly not_counted: readonly NotCountedView[] | Forgotten
  readonly explanation: readonly Named<ExplainedRecipe>[] | Forgotten
  readonly plan: {
    readonly digest: string
    readonly recipes: readonly Pick<PlannedRecipe, 'recipe_id' | 'version_id' | 'status'>[]
  }
  /** SHA-256 of the answered body, hexadecimal. */
  readonly result_hash: string
  readonly position: string
  /** Position up to which the instance knew the log when it gathered the evidence. */
  readonly as_of: string
}

type ExplainedRule = ExplainedRecipe['rules'][number]

/** What an unsaved rule made of the evidence. */
export interface RuleTestView
  extends Pick<ExplainedRule, 'outcome' | 'blocked_by' | 'unavailable'>,
    Required<Pick<ExplainedRule, 'expression' | 'reads' | 'parts'>> {
  readonly not_counted: readonly NotCounted[]
  readonly warnings?: readonly Warning[]
}

/** What a flow, or a draft of it, made of the evidence. */
export interface FlowTestView extends Ran {
  readonly evidence: readonly EvidenceView[]
  readonly not_counted: readonly NotCounted[]
  readonly explanation: readonly Named<ExplainedRecipe>[]
  readonly warnings?: readonly Warning[]
}
