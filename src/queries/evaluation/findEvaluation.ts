/** Finds one recorded evaluation, explains it, and lists its evidence in a fixed order. */

import type { Call } from '../../domain/call.ts'
import { longWork, runInSlices } from '../../domain/load/scheduler.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { type ExplainedRecipe, explain } from '../../engine/explain/explain.ts'
import { renderCell } from '../../engine/explain/traceNodes.ts'
import type { Evidence } from '../../engine/run/evidence.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { decodeResult } from '../../engine/run/recordResult.ts'
import type { RecipeResult } from '../../engine/run/result.ts'
import { readClock } from '../../events/evaluation/evaluationEvents.ts'
import type { ForgottenValue } from '../../events/recording/sealing.ts'
import {
  assertUnaltered,
  type DecryptedRecord,
  decryptEvaluation,
  type RecordContext,
} from './decryptEvaluation.ts'
import { addAssessments, type EvaluationView, type EvidenceView } from './evaluationView.ts'
import {
  addRecipeNames,
  listNamedVersions,
  loadNames,
  type NameLookup,
  type NamesContext,
} from './resultNames.ts'
import { indexShownNames, showEvidence } from './shownEvidence.ts'

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
  return longWork(context, call.principal.accountId, async () => {
    const record = await decryptEvaluation(context, call, id)
    assertUnaltered(record)
    const { personalData, runnablePlan } = record
    const named = listNamedVersions(runnablePlan.plan)
    const findName = await loadNames(context, record.account, named)
    const explaining = personalData && { ...personalData, parts: detail === 'expressions' }
    const explanation =
      explaining &&
      (await runInSlices(context, explain(runnablePlan.compiled, explaining.evidence, explaining)))
    return toEvaluationView(record, explanation, findName)
  })
}

/** Stands in place of what was erased together with the person it was about. */
const forgotten: ForgottenValue = { forgotten: true }

function toEvaluationView(
  record: DecryptedRecord,
  explanation: readonly ExplainedRecipe[] | undefined,
  findName: NameLookup,
): EvaluationView {
  const { data, decoded, personalData, runnablePlan } = record
  const { plan } = runnablePlan
  const { recipes, shadowRecipes } = decodeResult(plan, data)
  const { evaluation_id: id, flow_id, flow_version_id, verdict, dispatch, result_hash } = data
  const flowName = findName(flow_id, flow_version_id)
  const correlationId = personalData?.correlationId
  const show = <Recipe extends RecipeResult>(results: readonly Recipe[]) =>
    addAssessments(addRecipeNames(results, plan, findName), data.recipes)
  return {
    id,
    flow_id,
    ...(flowName !== undefined && { flow_name: flowName }),
    flow_version_id,
    evaluated_at: isoTime(readClock(decoded)),
    ...(data.prediction && { prediction: data.prediction }),
    ...(data.imported && { imported: data.imported }),
    verdict,
    ...(data.fragile && { fragile: data.fragile }),
    recipes: show(recipes),
    shadow_recipes: show(shadowRecipes),
    dispatch,
    ...(correlationId !== undefined && { correlation_id: correlationId }),
    evidence: personalData ? toEvidenceViews(personalData.evidence, plan) : forgotten,
    not_counted: personalData?.notCounted ?? forgotten,
    explanation: explanation ? show(explanation) : forgotten,
    plan: {
      digest: data.plan,
      recipes: plan.recipes.map(({ recipe_id, version_id, status }) => ({
        recipe_id,
        version_id,
        status,
      })),
    },
    semantics_version: data.semantics,
    result_hash,
    position: String(decoded.position),
    as_of: String(data.as_of),
    ...(data.counted_to !== undefined && { counted_to: String(data.counted_to) }),
  }
}

const targetNames = ['target.phone_number', 'target.email_address']

/**
 * Every name that arrived, with its value and source; times in ISO 8601. The target comes first, then what the
 * account's rules read in their order, then the rest by name, and the clock: the same whether it comes from the record
 * or was gathered now.
 */
export function toEvidenceViews(evidence: Evidence, plan: Plan): readonly EvidenceView[] {
  const names = indexShownNames([plan])
  const restOf = (name: string): number => (name === 'request.time' ? names.size + 1 : names.size)
  const rankOf = (name: string): number =>
    name.startsWith('target.') ? targetNames.indexOf(name) - 2 : (names.get(name) ?? restOf(name))
  return [...showEvidence(evidence, names)]
    .toSorted(([one], [other]) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1))
    .map(([name, { value, source, revision, left_out }]) => ({
      name,
      value: renderCell(name, value),
      source,
      ...(revision !== undefined && { revision }),
      ...(left_out !== undefined && { left_out }),
    }))
}
