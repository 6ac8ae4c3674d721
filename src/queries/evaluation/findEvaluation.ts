/** Finds one recorded evaluation, explains it, and lists its evidence in a fixed order. */

import type { Call } from '../../domain/call.ts'
import { runLongWork } from '../../domain/load/longWork.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { type ExplainedRecipe, explain } from '../../engine/explain/explain.ts'
import { renderCell } from '../../engine/explain/traceNodes.ts'
import type { Evidence } from '../../engine/run/evidence.ts'
import { decodeResult } from '../../engine/run/recordResult.ts'
import type { EvidenceNameIndex } from '../../events/evaluation/evaluationEvents.ts'
import type { ForgottenValue } from '../../events/recording/sealing.ts'
import {
  assertUnaltered,
  type DecryptedRecord,
  decryptEvaluation,
  type RecordContext,
} from './decryptEvaluation.ts'
import type { EvaluationView, EvidenceView } from './evaluationView.ts'
import {
  addRecipeNames,
  findNames,
  listNamedVersions,
  type NameLookup,
  type NamesContext,
} from './resultNames.ts'

/** How far an explanation goes: what each rule read, or also the value of every sub-expression. */
export type ExplanationDetail = 'rules' | 'expressions'

/**
 * The evaluation with its evidence, shadow recipes and explanation. Throws `not_found`, also for another account's,
 * `unknown_semantics`, and `unavailable` where its plan in the log is not the one that was recorded.
 */
export function findEvaluation(
  context: RecordContext & NamesContext,
  call: Call,
  { id, detail }: { readonly id: string; readonly detail: ExplanationDetail },
): Promise<EvaluationView> {
  return runLongWork(call.principal.accountId, async () => {
    const record = await decryptEvaluation(context, call, id)
    assertUnaltered(record)
    const names = await findNames(context, record.account, listNamedVersions(record.plan))
    return viewOf(record, await explained(record, detail), names)
  })
}

function viewOf(
  record: DecryptedRecord,
  explanation: Explanation,
  names: NameLookup,
): EvaluationView {
  const { data, plan, decoded, personalData: personal, runnablePlan: ready } = record
  const { recipes, shadowRecipes: shadow } = decodeResult(plan, data.recipes)
  const flowName = names.flow(data.flow_id, data.flow_version_id)
  return {
    id: data.evaluation_id,
    flow_id: data.flow_id,
    ...(flowName !== undefined && { flow_name: flowName }),
    flow_version_id: data.flow_version_id,
    evaluated_at: isoTime(data.time),
    verdict: data.verdict,
    recipes: addRecipeNames(recipes, plan, names),
    shadow_recipes: addRecipeNames(shadow, plan, names),
    dispatch: data.dispatch,
    ...(personal?.correlationId !== undefined && { correlation_id: personal.correlationId }),
    evidence: personal ? toEvidenceViews(personal.evidence, ready.names) : forgotten,
    not_counted: personal?.notCounted ?? forgotten,
    explanation: explanation ? addRecipeNames(explanation, plan, names) : forgotten,
    plan: {
      digest: data.plan,
      recipes: plan.recipes.map(({ recipe_id, version_id, status }) => ({
        recipe_id,
        version_id,
        status,
      })),
    },
    semantics_version: data.semantics,
    result_hash: data.result_hash,
    position: String(decoded.position),
    as_of: String(data.as_of),
  }
}

/** Undefined for what was erased. */
type Explanation = readonly ExplainedRecipe[] | undefined

/** Stands in place of what was erased together with the person it was about. */
const forgotten: ForgottenValue = { forgotten: true }

async function explained(record: DecryptedRecord, detail: ExplanationDetail): Promise<Explanation> {
  const { runnablePlan: ready, personalData: personal } = record
  if (!personal) return undefined
  const { evidence, notCounted } = personal
  const options = { parts: detail === 'expressions', notCounted } as const
  return explain(ready.compiled, evidence, options)
}

/**
 * Every name that arrived, with its value and source; times in ISO 8601. The target comes first, then what the plan reads in its order, then
 * the rest as it was gathered, and the clock: the same whether it comes from the record or was gathered now.
 */
export function toEvidenceViews(
  evidence: Evidence,
  names: EvidenceNameIndex,
): readonly EvidenceView[] {
  const restOf = (name: string): number => (name === 'request.time' ? names.size + 1 : names.size)
  const rankOf = (name: string): number =>
    name.startsWith('target.') ? -1 : (names.get(name) ?? restOf(name))
  return [...evidence]
    .toSorted(([one], [other]) => rankOf(one) - rankOf(other))
    .map(([name, { value, source, revision }]) => ({
      name,
      value: renderCell(name, value),
      source,
      ...(revision !== undefined && { revision }),
    }))
}
