/** Prepares a backtest as a job, which judges the evaluations behind any of them. */

import type { Call } from '../../../domain/call.ts'
import { canonicalJson } from '../../../domain/text/canonicalJson.ts'
import type { BacktestFacts } from '../../../events/analysis/backtest.ts'
import type {
  BacktestPart,
  BacktestRange,
  PreparedJob,
} from '../../../state/analysis/backtestStreamType.ts'
import {
  type BacktestContext,
  type BacktestInput,
  type BacktestQuery,
  type PreparedBacktest,
  prepareBacktest,
} from './prepareBacktest.ts'
import { runBacktest, toBacktestTotals } from './runBacktest.ts'

/** Throws as `prepareBacktest`. */
export async function prepareBacktestJob(
  context: BacktestContext,
  call: Call,
  query: BacktestQuery & { readonly input: BacktestInput },
): Promise<PreparedJob> {
  const prepared = await prepareBacktest(context, call, query)
  const { lists, where = '', input } = query
  const { draft, unchanged, method } = prepared.order
  const { flowId, scan } = prepared
  const plans = { draft: draft.digest, unchanged: unchanged?.digest ?? '' }
  const { labelClasses } = scan.request
  return {
    asked: query,
    facts: {
      tried: nameTried(input),
      lists,
      from_ms: scan.fromMs,
      to_ms: scan.toMs,
      ...(flowId !== undefined && { flow_id: flowId }),
      ...(input.recipe_id !== undefined && { recipe_id: input.recipe_id }),
      ...(scan.request.order === 'oldest' && { oldest_first: true as const }),
    },
    order: canonicalJson({ ...plans, method, flow: flowId ?? '', where, labelClasses }),
    run: (range, signal) => {
      const isOfRange = { ...prepared, scan: limitScan(scan, range) }
      return runParts(context, call, { prepared: isOfRange, signal })
    },
  }
}

function nameTried({ expression, recipe_id }: BacktestInput): BacktestFacts['tried'] {
  if (expression !== undefined) return 'rule'
  return recipe_id === undefined ? 'draft' : 'weights'
}

function limitScan(
  { request }: PreparedBacktest['scan'],
  { from_ms: fromMs, to_ms: toMs, end, after }: BacktestRange,
): PreparedBacktest['scan'] {
  const behind = after && { id: after.evaluation_id, values: [after.time_ms] }
  const limits = { fromMs, toMs, end, ...(behind && { after: behind }) }
  return { fromMs, toMs, request: { ...request, ...limits, isOfJob: true } }
}

async function* runParts(
  context: BacktestContext,
  call: Call,
  asked: Parameters<typeof runBacktest>[2],
): AsyncGenerator<BacktestPart, void, undefined> {
  let before = 0
  for await (const { folded, scanned, reached } of runBacktest(context, call, asked)) {
    const [time_ms] = reached?.values ?? []
    yield {
      ...toBacktestTotals(folded),
      scanned: scanned - before,
      ...(reached && { after: { evaluation_id: reached.id, time_ms: Number(time_ms) } }),
    }
    before = scanned
  }
}
