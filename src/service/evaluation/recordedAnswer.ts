/** The answer of an evaluation, put together again from its record. */

import type { EvaluationRecord } from '../../commands/evaluation/evaluationRecord.ts'
import { engineOf } from '../../engine/engineOf.ts'

/** The bytes that were answered (spec 2.4). Throws when the record and its plan do not belong together, `unknown_semantics`. */
export function answerOfRecord({ decoded, planned: { plan } }: EvaluationRecord): string {
  const { evaluation_id: id, recipes } = decoded.event.data
  const engine = engineOf(plan.semantics)
  return JSON.stringify(engine.answer(id, engine.expand(plan, recipes)))
}
