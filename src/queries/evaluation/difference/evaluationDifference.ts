/** Says why two recorded evaluations of an account differ. */

import type { Call } from '../../../domain/call.ts'
import { longWork } from '../../../domain/load/longWork.ts'
import { openObject, type TypeOf, text, timeText } from '../../../domain/schema.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { verdictSchema } from '../../../engine/run/result.ts'
import {
  assertUnaltered,
  decryptEvaluation,
  evidenceIn,
  type OpenRecord,
  type RecordReading,
} from '../decryptEvaluation.ts'
import { findNames, type Naming, namedInPlan } from '../names.ts'
import { compareSides, comparisonFields } from './compareSides.ts'
import type { Side } from './sides.ts'

/** One of two evaluations. */
const comparedSchema = openObject('ComparedEvaluation', {
  id: text,
  flow_id: text,
  flow_version_id: text,
  evaluated_at: timeText,
  verdict: verdictSchema,
})

export const evaluationDifferenceSchema = openObject('EvaluationDifference', {
  a: comparedSchema,
  b: comparedSchema,
  ...comparisonFields,
})
export type EvaluationDifference = TypeOf<typeof evaluationDifferenceSchema>

export type Comparing = RecordReading & Naming

/** Throws `not_found`, also for another account's, `evidence_forgotten`, `unknown_semantics`, `unavailable` for an altered plan. */
export function findEvaluationDifference(
  context: Comparing,
  call: Call,
  ids: { readonly a: string; readonly b: string },
): Promise<EvaluationDifference> {
  const { accountId, scopes } = call.principal
  return longWork(accountId, async () => {
    const a = await decryptEvaluation(context, call, ids.a)
    const b = await decryptEvaluation(context, call, ids.b)
    const names = await findNames(context, accountId, [a.plan, b.plan].flatMap(namedInPlan))
    const opens = scopes.includes('analyse')
    const comparison = await compareSides(sideOf(a), sideOf(b), { names, opens })
    return { a: comparedOf(a), b: comparedOf(b), ...comparison }
  })
}

/** What ran on record. Throws `evidence_forgotten`, `unavailable` where the plan in the log is not the one that was recorded. */
export function sideOf(record: OpenRecord): Side {
  assertUnaltered(record)
  const { plan, ready, data } = record
  return { plan, evidence: evidenceIn(record), reads: ready.reads, verdict: data.verdict }
}

function comparedOf({ data }: OpenRecord): EvaluationDifference['a'] {
  const { evaluation_id: id, flow_id, flow_version_id, time, verdict } = data
  return { id, flow_id, flow_version_id, evaluated_at: isoTime(time), verdict }
}
