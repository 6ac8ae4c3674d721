/** Declares the evaluation response fields that the CLI prints. */

import type { ExplainedRecipe } from '../../engine/explain/explain.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import type { EvaluationView, Named } from '../../queries/evaluation/evaluationView.ts'

type Explained = Named<ExplainedRecipe>

export type RuleAnswer = Explained['rules'][number]
export type ReadAnswer = NonNullable<RuleAnswer['reads']>[number]
/** A sub-expression and what it gave. */
export type PartAnswer = NonNullable<RuleAnswer['parts']>
/** What was sent under some name and did not count. */
export type SentAnswer = Omit<NotCounted, 'name'>

/** Only an explanation says whether the recipe is live. */
export type RecipeAnswer = Omit<Explained, 'status'> & Partial<Pick<Explained, 'status'>>

/** What is shown of a verdict; the names and what did not count are there only in a record, and in an old one not all of it. */
export interface VerdictAnswer
  extends Pick<EvaluationView, 'id' | 'verdict'>,
    Partial<Pick<EvaluationView, 'flow_name' | 'not_counted'>> {
  readonly recipes: readonly RecipeAnswer[]
}
