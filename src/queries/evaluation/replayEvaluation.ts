/** Recomputes a recorded evaluation from its record alone, and lists the differences. */

import { hash } from 'node:crypto'
import { rebuildAnswer } from '../../commands/evaluation/readEvaluationRecord.ts'
import type { Call } from '../../domain/call.ts'
import { longWork } from '../../domain/load/longWork.ts'
import { openObject, optional, type TypeOf, text } from '../../domain/schema.ts'
import type { PlanRun } from '../../engine/compile/compilePlan.ts'
import { engineForVersion } from '../../engine/engineForVersion.ts'
import {
  type DecryptedRecord,
  decryptEvaluation,
  evidenceIn,
  type RecordContext,
} from './decryptEvaluation.ts'

/** The path is dotted: `recipes.0.rules.3.outcome`; empty for the value itself. */
const differenceSchema = openObject('ReplayDifference', {
  path: text,
  recorded: optional({ description: 'Absent when the record has no value at the path.' }),
  recomputed: optional({ description: 'Absent when the recomputation has no value at the path.' }),
})
export type Difference = TypeOf<typeof differenceSchema>

/** What computing an evaluation again gave. */
export const replaySchema = openObject('Replay', {
  result: { type: 'string', enum: ['MATCH', 'MISMATCH'] },
  differences: { type: 'array', items: differenceSchema },
})
export type Replay = TypeOf<typeof replaySchema>

/** Throws `not_found`, also for another account's, `evidence_forgotten`, `unknown_semantics`. */
export function replayEvaluation(context: RecordContext, call: Call, id: string): Promise<Replay> {
  return longWork(call.principal.accountId, async () => {
    const differences = await replay(await decryptEvaluation(context, call, id))
    return { result: differences.length === 0 ? 'MATCH' : 'MISMATCH', differences }
  })
}

async function replay(record: DecryptedRecord): Promise<readonly Difference[]> {
  const { ready, data } = record
  if (record.isAltered) return differencesOf({ plan: data.plan }, { plan: ready.digest })
  return differencesFrom(record, await ready.compiled.runInSlices(evidenceIn(record)))
}

/** What `differencesFrom` looks at of a record. */
type Opened = Pick<DecryptedRecord, 'account' | 'decoded' | 'data' | 'plan' | 'ready'>

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
    answered_hash: hash('sha256', rebuildAnswer(record, plan), 'hex'),
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

/** Every path at which the second value differs from the first, in the order of the first. */
export function differencesOf(
  recorded: unknown,
  recomputed: unknown,
  path = '',
): readonly Difference[] {
  if (isTree(recorded) && isTree(recomputed)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(recomputed)])
    return [...keys].flatMap((key) =>
      differencesOf(
        Reflect.get(recorded, key),
        Reflect.get(recomputed, key),
        path === '' ? key : `${path}.${key}`,
      ),
    )
  }
  if (Object.is(recorded, recomputed)) return []
  return [
    {
      path,
      ...(recorded !== undefined && { recorded }),
      ...(recomputed !== undefined && { recomputed }),
    },
  ]
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
