/** Folds evaluations into counts of their plans, by hours or days of any time zone. */

import { countAnswer, type PlanCountsDocument } from '../../../projections/analysis/counts.ts'
import type { PlanDocument } from '../../../projections/evaluation/plans.ts'
import { type CountsQuery, findBucket, isIn, rangeOf } from '../statistics/sumCounts.ts'
import type { Fold } from './folds.ts'

export type CountsOrder = Pick<CountsQuery, 'account' | 'starts' | 'finishedMs' | 'weekBefore'>

/** In the order of time, where the oldest come first. */
export interface FoldedCounts {
  readonly counts: readonly PlanCountsDocument[]
  readonly plans: ReadonlyMap<string, PlanDocument | undefined>
}

export function foldCounts(order: CountsOrder): Fold<FoldedCounts> {
  const counts = new Map<string, PlanCountsDocument>()
  const plans = new Map<string, PlanDocument | undefined>()
  return {
    needs: { record: true },
    add: ({ body: { flow_id, time, imported = false }, record, planDocument }) => {
      const from = findStart(order, time)
      if (from === undefined || !record) return
      const { plan } = record
      const key = `${from} ${flow_id} ${plan} ${imported}`
      const none = { account: order.account, flow_id, plan, from, imported, evaluations: 0 }
      counts.set(key, countAnswer(counts.get(key) ?? none, record))
      plans.set(plan, planDocument)
    },
    take: () => ({ counts: [...counts.values()], plans }),
  }
}

/** Of what is counted together: a bucket is cut where the week before ends, and what is over. Undefined of neither. */
function findStart({ starts, finishedMs, weekBefore }: CountsOrder, timeMs: number) {
  const isInRange = isIn(timeMs, rangeOf({ starts }))
  if (!isInRange && !isIn(timeMs, weekBefore)) return undefined
  const start = isInRange ? (starts[findBucket(starts, timeMs)] ?? 0) : weekBefore.fromMs
  return Math.max(start, ...[weekBefore.toMs, finishedMs].filter((cut) => cut <= timeMs))
}
