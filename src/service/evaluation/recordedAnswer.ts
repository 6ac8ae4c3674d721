/** The answer of an evaluation, put together again from its record. */

import type { EvaluationRecord } from '../../commands/evaluation/evaluationRecord.ts'
import { expandResult } from '../../engine/run/record.ts'

/** The bytes that were answered (spec 2.4). Throws when the record and its plan do not belong together. */
export function answerOfRecord({ decoded, plan }: EvaluationRecord): string {
  const { evaluation_id: id, recipes } = decoded.event.data
  const { verdict, recipes: live } = expandResult(plan, recipes)
  return JSON.stringify({ id, verdict, recipes: live })
}
