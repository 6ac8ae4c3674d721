/** Lists recorded evaluations by position in the log, for callers that poll for new ones. */

import type { Verdict } from '../../engine/run/result.ts'
import {
  type EvaluationDocument,
  evaluationCollection,
} from '../../projections/evaluation/evaluations.ts'
import { type PlanDocument, planCollection } from '../../projections/evaluation/plans.ts'
import {
  type FoundDocument,
  fixEnd,
  getDocuments,
  type Readers,
} from '../../projections/running/documents.ts'
import { scanDocuments } from '../reading/page.ts'

/** Evaluations that one question looks at when it is for a verdict. */
const scanMax = 1_000
/** Of them read in one step. */
const readAtOnce = 50

export interface RecordedEvaluationsQuery {
  readonly account: string
  readonly flowId?: string
  readonly verdict?: Verdict
  /** Position in the log behind which to look; undefined asks for the last ones. */
  readonly after?: number
  /** Position before which to look for the last ones; never together with `after`. */
  readonly before?: number
  /** From 1 to 1,000. */
  readonly limit: number
}

/** An evaluation with the plan that ran; undefined while the plans are behind, which only searches may be told. */
export interface EvaluationWithPlan extends FoundDocument<EvaluationDocument> {
  readonly plan: PlanDocument | undefined
}

export interface RecordedEvaluations {
  readonly items: readonly EvaluationWithPlan[]
  /** Everything up to here has been looked at. */
  readonly nextAfter: number
  /** Of the last ones: where older ones lie, unless there are none. */
  readonly nextBefore?: number
}

/** The account's evaluations behind a position, or the last ones, in the order of the log. */
export async function listRecordedEvaluations(
  readers: Readers,
  asked: RecordedEvaluationsQuery,
): Promise<RecordedEvaluations> {
  const { account, flowId, verdict, after = 0, before, limit } = asked
  const isForward = asked.after !== undefined
  const end = fixEnd(readers, [evaluationCollection, planCollection], before && before - 1)
  const found = await scanDocuments(readers, evaluationCollection, {
    question: {
      where: {
        account,
        ...(flowId !== undefined && { flow_id: flowId }),
        at: { gt: after, lte: end },
      },
      sort: [isForward ? 'at' : '-at'],
    },
    isWanted: (document) => verdict === undefined || document.verdict === verdict,
    limit,
    scanMax: verdict === undefined ? limit : scanMax,
    readAtOnce,
  })
  const items = await addPlans(readers, found.items)
  const cutAt = found.isAll ? undefined : found.last?.body.at
  if (isForward) return { items, nextAfter: cutAt ?? Math.max(after, end) }
  return {
    items: items.toReversed(),
    nextAfter: end,
    ...(cutAt !== undefined && { nextBefore: cutAt }),
  }
}

/** Adds the plans that ran, as far as they are known already. */
export async function addPlans(
  readers: Readers,
  found: readonly FoundDocument<EvaluationDocument>[],
): Promise<readonly EvaluationWithPlan[]> {
  const digests = found.map(({ body }) => body.plan)
  const plans = await getDocuments(readers, planCollection, digests)
  return found.map((one) => ({ ...one, plan: plans.get(one.body.plan) }))
}
