/** One small document for each evaluation, for lists, usage and comparisons; no personal data, the record itself is in the log. */

import type { RecordedRecipe } from '../../engine/run/record.ts'
import type { Verdict } from '../../engine/run/result.ts'
import type { EvaluationEvent } from '../../events/evaluation/evaluation.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf } from '../running/projection.ts'

/** By the evaluation's id. */
export interface EvaluationDocument {
  readonly account: string
  readonly flow_id: string
  /** Position in the log, by which evaluations are in order. */
  readonly at: number
  /** Milliseconds since the Unix epoch. */
  readonly time: number
  readonly verdict: Verdict
  /** Digest of the plan that ran, which knows the status of each recipe: a document of `plans`. */
  readonly plan: string
  /** Live and shadow recipes, in the plan's order. */
  readonly recipes: readonly EvaluatedRecipe[]
}

export interface EvaluatedRecipe {
  readonly recipe_id: string
  readonly verdict: Verdict
  readonly score: number
  /** Whether a rule was not evaluated (spec 2.5). */
  readonly partial: boolean
}

const identity = { name: 'evaluations', version: 2 } as const
export const evaluationCollection = collectionOf<EvaluationDocument>({
  projection: identity,
  indexes: [
    ['account', 'time'],
    ['account', 'at'],
    ['account', 'flow_id', 'at'],
  ],
})

type Evaluated = Extract<EvaluationEvent, { type: 'FlowEvaluated' }>

export const evaluations = defineProjection<Evaluated, EvaluationDocument>({
  ...identity,
  collections: [evaluationCollection],
  handles: ['FlowEvaluated'],
  targets: ({ event }) => [
    { collection: evaluationCollection, id: event.data.evaluation_id, once: 'unique' },
  ],
  apply: (_, { event: { data }, metadata: { account }, position: at }) => {
    const { flow_id, time, verdict, plan } = data
    return { account, flow_id, at, time, verdict, plan, recipes: data.recipes.map(evaluatedRecipe) }
  },
})

function evaluatedRecipe({ recipe_id, verdict, score, outcomes }: RecordedRecipe): EvaluatedRecipe {
  return { recipe_id, verdict, score, partial: /[MU]/.test(outcomes) }
}
