/** Says why two recorded evaluations of an account differ. */

import {
  managedRulebook,
  type RulebookStreams,
} from '../../../commands/rulebook/rulebookStreams.ts'
import type { Call } from '../../../domain/call.ts'
import { Failure } from '../../../domain/failure.ts'
import { longWork } from '../../../domain/load/longWork.ts'
import { openObject, type TypeOf, text, timeText } from '../../../domain/schema.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import type { Plan } from '../../../engine/run/plan.ts'
import { verdictSchema } from '../../../engine/run/result.ts'
import { rulebookStream } from '../../../events/rulebook/rulebook.ts'
import type { QueryContext } from '../../reading/context.ts'
import { decryptEvaluation, type OpenRecord, type RecordReading } from '../decryptEvaluation.ts'
import { type Names, namedInPlan, namesOf } from '../names.ts'
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

export type Comparing = RecordReading &
  Pick<RulebookStreams, 'rulebooks' | 'managed'> &
  Pick<QueryContext, 'documents' | 'projections'>

/** Throws `not_found`, also for another account's, `evidence_forgotten`, `unknown_semantics`, `unavailable` for an altered plan. */
export function findEvaluationDifference(
  context: Comparing,
  call: Call,
  ids: { readonly a: string; readonly b: string },
): Promise<EvaluationDifference> {
  return longWork(call.principal.accountId, async () => {
    const a = await decryptEvaluation(context, call, ids.a)
    const b = await decryptEvaluation(context, call, ids.b)
    const names = await namesOfPlans(context, call, [a.plan, b.plan])
    const opens = call.principal.scopes.includes('analyse')
    const comparison = await compareSides(sideOf(a), sideOf(b), { names, opens })
    return { a: comparedOf(a), b: comparedOf(b), ...comparison }
  })
}

/** What ran on record. Throws `evidence_forgotten`, `unavailable` where the plan in the log is not the one that was recorded. */
export function sideOf({ plan, evidence, ready, data, isAltered }: OpenRecord): Side {
  if (isAltered) {
    throw new Failure('unavailable', 'The plan in the log is not the one that was recorded.')
  }
  if (!evidence) {
    throw new Failure('evidence_forgotten', 'The evidence has been erased with its subject.')
  }
  return { plan, evidence, reads: ready.reads, verdict: data.verdict }
}

function comparedOf({ data }: OpenRecord): EvaluationDifference['a'] {
  const { evaluation_id: id, flow_id, flow_version_id, time, verdict } = data
  return { id, flow_id, flow_version_id, evaluated_at: isoTime(time), verdict }
}

/** The names of what the plans run, in the versions that ran. */
export async function namesOfPlans(
  context: Comparing,
  { principal }: Call,
  plans: readonly Plan[],
): Promise<Names> {
  const { state } = await context.rulebooks.catchUp(rulebookStream(principal.accountId))
  const rulebooks = { own: state, managed: managedRulebook(context) }
  return namesOf(context, rulebooks, plans.flatMap(namedInPlan))
}
