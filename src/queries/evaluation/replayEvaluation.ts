/** Recomputes a recorded evaluation from its record alone, and lists the differences. */

import { hash } from 'node:crypto'
import { answerOfRecord } from '../../commands/evaluation/readRecord.ts'
import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { longWork } from '../../domain/load/longWork.ts'
import { openObject, type TypeOf } from '../../domain/schema.ts'
import type { PlanRun } from '../../engine/compile/compilePlan.ts'
import { engineForVersion } from '../../engine/engineForVersion.ts'
import { decryptEvaluation, type OpenRecord, type RecordReading } from './decryptEvaluation.ts'
import { type Difference, differencesOf, replayDifferenceSchema } from './differences.ts'

/** What computing an evaluation again gave. */
export const replaySchema = openObject('Replay', {
  result: { type: 'string', enum: ['MATCH', 'MISMATCH'] },
  differences: { type: 'array', items: replayDifferenceSchema },
})
export type Replay = TypeOf<typeof replaySchema>

/** Throws `not_found`, also for another account's, `evidence_forgotten`, `unknown_semantics`. */
export function replayEvaluation(context: RecordReading, call: Call, id: string): Promise<Replay> {
  return longWork(call.principal.accountId, async () => {
    const differences = await replay(await decryptEvaluation(context, call, id))
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
  const engine = engineForVersion(plan.semantics)
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
