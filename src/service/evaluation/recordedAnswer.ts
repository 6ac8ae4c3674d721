/** The answer of an evaluation, put together again from its record. */

import type { EvaluationRecord } from '../../commands/evaluation/evaluationRecord.ts'
import { engineOf } from '../../engine/engineOf.ts'
import type { Plan, PlannedPlace } from '../../engine/run/plan.ts'

/** The bytes that were answered (spec 2.4). Throws when the record and its plan do not belong together, `unknown_semantics`. */
export function answerOfRecord({ decoded }: EvaluationRecord, plan: Plan<PlannedPlace>): string {
  const { evaluation_id: id, recipes } = decoded.event.data
  const engine = engineOf(plan.semantics)
  return JSON.stringify(engine.answer(id, engine.expand(plan, recipes)))
}
