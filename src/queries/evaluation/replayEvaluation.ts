/** Recomputes a recorded evaluation from its record alone, and lists the differences. */

import { hash } from 'node:crypto'
import type { Call } from '../../domain/call.ts'
import { openObject, optional, type TypeOf, text } from '../../domain/jsonSchema.ts'
import { longWork, runInSlices } from '../../domain/load/scheduler.ts'
import type { PlanRun } from '../../engine/compile/compilePlan.ts'
import { decodeResult, type RecordedRun } from '../../engine/run/recordResult.ts'
import { buildEvaluateResponse } from '../../engine/run/result.ts'
import { rebuildAnswer } from '../../state/evaluation/readEvaluationRecord.ts'
import {
  decryptEvaluation,
  isPlanAltered,
  type PlannedRecord,
  type RecordContext,
  requireEvidence,
} from './decryptEvaluation.ts'

/** The path is dotted: `recipes.0.rules.3.outcome`; empty for the value itself. */
const differenceSchema = openObject('ReplayDifference', {
  path: text,
  recorded: optional({ description: 'Absent when the record has no value at the path.' }),
  recomputed: optional({ description: 'Absent when the recomputation has no value at the path.' }),
})
export type ReplayDifference = TypeOf<typeof differenceSchema>

/** What computing an evaluation again gave. */
export const replayResultSchema = openObject('Replay', {
  result: { type: 'string', enum: ['MATCH', 'MISMATCH'] },
  differences: { type: 'array', items: differenceSchema },
})
export type ReplayResult = TypeOf<typeof replayResultSchema>

/** Throws `not_found`, also for another account's, `evidence_forgotten`, `unknown_semantics`. */
export function replayEvaluation(
  context: RecordContext,
  call: Call,
  id: string,
): Promise<ReplayResult> {
  return longWork(context, call.principal.accountId, async () => {
    const record = await decryptEvaluation(context, call, id)
    const { compiled } = record.runnablePlan
    const differences = isPlanAltered(record)
      ? comparePlans(record)
      : compareRecordWithRun(
          record,
          await runInSlices(context, compiled.runSteps(requireEvidence(record))),
        )
    return { result: differences.length === 0 ? 'MATCH' : 'MISMATCH', differences }
  })
}

/** The difference of an altered plan, beside which nothing can be compared. */
export function comparePlans({ data, runnablePlan }: PlannedRecord): readonly ReplayDifference[] {
  return compareValues({ plan: data.plan }, { plan: runnablePlan.digest })
}

/** Every place in which the record and this run of its plan differ, the record's own consistency included. */
export function compareRecordWithRun(
  record: PlannedRecord,
  run: PlanRun,
): readonly ReplayDifference[] {
  const { data, runnablePlan } = record
  const { plan, digest, compiled } = runnablePlan
  const result = decodeResult(plan, data)
  const body = compiled.renderResponse(data.evaluation_id, run)
  const recorded = {
    plan: data.plan,
    semantics_version: data.semantics,
    answer: { ...buildEvaluateResponse(data.evaluation_id, result), verdict: data.verdict },
    shadow_recipes: result.shadowRecipes,
    unanswered_hash: hashUnanswered(data),
    answered_hash: hash('sha256', rebuildAnswer(record, plan), 'hex'),
    result_hash: data.result_hash,
  }
  const recomputed = {
    plan: digest,
    semantics_version: plan.semantics,
    answer: JSON.parse(body) as unknown,
    shadow_recipes: run.shadowRecipes,
    unanswered_hash: hashUnanswered(compiled.encodeRun(run)),
    answered_hash: data.result_hash,
    result_hash: hash('sha256', body, 'hex'),
  }
  return compareValues(recorded, recomputed)
}

/**
 * Of what is recorded and in no answer, names that managed rules read among it: all that is missing, what was skipped,
 * and what could turn the verdicts.
 */
export function hashUnanswered(run: RecordedRun): string {
  const recipes = run.recipes.map(({ skipped, blocked_by, bounds, fragile, alone }) => [
    ...[skipped, blocked_by, bounds, fragile, alone],
  ])
  const unanswered = [recipes, run.missing, run.missing_managed, run.fragile]
  return hash('sha256', JSON.stringify(unanswered), 'hex')
}

/** Every path at which the second value differs from the first, in the order of the first. */
export function compareValues(
  recorded: unknown,
  recomputed: unknown,
  path = '',
): readonly ReplayDifference[] {
  if (isTree(recorded) && isTree(recomputed)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(recomputed)])
    return [...keys].flatMap((key) =>
      compareValues(
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
