/** Declares the evaluation response fields that the CLI prints. */

import type { ExplainedRecipe } from '../../engine/explain/explain.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import type { EvaluationView, Named } from '../../queries/evaluation/evaluationView.ts'

type Explained = Named<ExplainedRecipe>

export type RuleAnswer = Explained['rules'][number]
export type ReadAnswer = NonNullable<RuleAnswer['reads']>[number]
/** A sub-expression and its value. */
export type PartAnswer = NonNullable<RuleAnswer['parts']>
/** A signal that was sent but not used. */
export type SentAnswer = Omit<NotCounted, 'name'>

/** Only an explanation says whether the recipe is live. */
export type RecipeAnswer = Omit<Explained, 'status'> & Partial<Pick<Explained, 'status'>>

/** The printed fields of a verdict; names and unused signals exist only in records, and not all in old ones. */
export interface VerdictAnswer
  extends Pick<EvaluationView, 'id' | 'verdict'>,
    Partial<Pick<EvaluationView, 'flow_name' | 'not_counted'>> {
  readonly recipes: readonly RecipeAnswer[]
}
