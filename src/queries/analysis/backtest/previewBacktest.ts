/** Tries a draft over the newest evaluations, as far as a short time allows. */

import type { Call } from '../../../domain/call.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import type { BacktestReport } from '../../../state/analysis/backtestStreamType.ts'
import { runScan, type ScanStep } from '../scan/scan.ts'
import type { FoldedBacktest } from './backtestRows.ts'
import {
  type BacktestContext,
  type BacktestInput,
  type BacktestQuery,
  type PreparedBacktest,
  prepareBacktest,
} from './prepareBacktest.ts'
import { openBacktestSum, runBacktest } from './runBacktest.ts'

/** Evaluations that a preview judges, changed verdicts that it names, and how long it goes on. */
const previewMax = { evaluations: 2_000, examples: 20, ms: 5_000 } as const

interface PreviewQuery extends BacktestQuery {
  readonly input: BacktestInput
  readonly signal: AbortSignal
}

/**
 * Steps of the preview, and what adds them up: a backtest of the newest evaluations, however old they are. Throws as
 * `prepareBacktest`.
 */
export async function previewBacktest(
  context: BacktestContext,
  call: Call,
  { signal, ...asked }: PreviewQuery,
) {
  const prepared = await prepareNewest(context, call, { signal, ...asked })
  const { add, result } = openBacktestSum(prepared, asked.lists)
  const matchedMax = previewMax.evaluations
  const { order } = prepared.scan.request
  let reached: Step | undefined
  const note = (step: Step): void => {
    reached = step
  }
  return {
    steps: stopInTime(context, runBacktest(context, call, { prepared, signal, matchedMax }), note),
    add,
    /** `from` is how far back it went; where the oldest come first, `to` how far it came. */
    result: (): BacktestReport => {
      const report = result()
      const changed = report.changed.slice(0, previewMax.examples)
      const changed_more = report.changed_more + report.changed.length - changed.length
      const at = isoTime(reached?.reachedMs ?? prepared.scan.toMs)
      const isWhole = order === 'oldest' && reached?.done === 1
      const times = order === 'newest' ? { from: at } : isWhole ? {} : { to: at }
      return { ...report, ...times, changed, changed_more }
    },
  }
}

/** The backtest; where counters are counted in the order of time, it begins with the newest that it may judge. */
async function prepareNewest(
  context: BacktestContext,
  call: Call,
  { signal, fromMs = 0, ...asked }: PreviewQuery,
): Promise<PreparedBacktest> {
  const prepared = await prepareBacktest(context, call, { fromMs, ...asked })
  if (prepared.scan.request.order === 'newest') return prepared
  const request = { ...prepared.scan.request, order: 'newest', fold: { kind: 'found' } } as const
  const matchedMax = previewMax.evaluations
  let newestMs = prepared.scan.toMs
  for await (const { reachedMs } of runScan(
    context,
    { ...prepared.scan, request },
    { kind: 'found', signal, matchedMax },
  )) {
    newestMs = Math.min(newestMs, reachedMs)
  }
  return prepareBacktest(context, call, { ...asked, fromMs: Math.max(fromMs, newestMs) })
}

type Step = ScanStep<FoldedBacktest>

async function* stopInTime(
  { clock }: Pick<BacktestContext, 'clock'>,
  steps: AsyncIterable<Step>,
  note: (step: Step) => void,
): AsyncGenerator<Step, void, undefined> {
  const untilMs = clock.nowMs() + previewMax.ms
  for await (const step of steps) {
    note(step)
    yield step
    if (clock.nowMs() >= untilMs) return
  }
}
