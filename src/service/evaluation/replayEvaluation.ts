/** Computes a recorded evaluation again, from its record alone. */

import { hash } from 'node:crypto'
import type { CompiledPlans } from '../../commands/evaluation/compiledPlans.ts'
import type { EvaluationRecord } from '../../commands/evaluation/evaluationRecord.ts'
import { type Difference, differencesOf } from '../../domain/differences.ts'
import { Failure } from '../../domain/failure.ts'
import { longWork } from '../../domain/longWork.ts'
import type { PlanRun } from '../../engine/compile/runPlan.ts'
import { engineOf } from '../../engine/engineOf.ts'
import type { Plan, PlannedPlace } from '../../engine/run/plan.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { EvaluationPart } from './evaluationPart.ts'
import { type OpenRecord, openRecord } from './openRecord.ts'

/** Throws `not_found`, `evidence_forgotten`, `unknown_semantics`. */
export function openReplayEvaluation(
  context: ServiceContext,
  compiledPlans: CompiledPlans,
): EvaluationPart['replayEvaluation'] {
  return (call, id) =>
    longWork(call.principal.accountId, async () => {
      const differences = await replay(await openRecord({ context, compiledPlans }, call, id))
      return { result: differences.length === 0 ? 'MATCH' : 'MISMATCH', differences }
    })
}

async function replay(record: OpenRecord): Promise<readonly Difference[]> {
  const { ready, evidence, data } = record
  if (record.isAltered) return differencesOf({ plan: data.plan }, { plan: ready.digest })
  if (!evidence) {
    throw new Failure('evidence_forgotten', 'The evidence has been erased with its subject.')
  }
  return differencesFrom(record, await ready.compiled.runInSlices(evidence))
}

/** What `differencesFrom` looks at of a record. */
type Opened = Pick<OpenRecord, 'account' | 'decoded' | 'data' | 'plan' | 'ready'>

/** Every place in which the record and this run of its plan differ, the record's own consistency included. */
export function differencesFrom(record: Opened, run: PlanRun): readonly Difference[] {
  const { data, plan, ready } = record
  const engine = engineOf(plan.semantics)
  const result = engine.expand(plan, data.recipes)
  const body = ready.compiled.render(data.evaluation_id, run)
  const recorded = {
    plan: data.plan,
    semantics_version: data.semantics,
    answer: { ...engine.answer(data.evaluation_id, result), verdict: data.verdict },
    shadow_recipes: result.shadow,
    answered_hash: hash('sha256', answerOfRecord(record, plan), 'hex'),
    result_hash: data.result_hash,
  }
  const recomputed = {
    plan: ready.digest,
    semantics_version: plan.semantics,
    answer: JSON.parse(body) as unknown,
    shadow_recipes: run.shadow,
    answered_hash: data.result_hash,
    result_hash: hash('sha256', body, 'hex'),
  }
  return differencesOf(recorded, recomputed)
}

/** The bytes that were answered (spec 2.4). Throws when the record and its plan do not belong together, `unknown_semantics`. */
export function answerOfRecord({ decoded }: EvaluationRecord, plan: Plan<PlannedPlace>): string {
  const { evaluation_id: id, recipes } = decoded.event.data
  const engine = engineOf(plan.semantics)
  return JSON.stringify(engine.answer(id, engine.expand(plan, recipes)))
}
