/** Scans what counts for a backtest, and answers counters that are not on record. */

import type { CounterAsk } from '../../../engine/compile/compileAskedCall.ts'
import { type CounterWindow, countsEvaluations } from '../../../engine/language/counters.ts'
import type { EvidenceItem } from '../../../engine/run/evidence.ts'
import { findWindowStart } from '../../../projections/evaluation/counterGrains.ts'
import { readValues } from '../../../state/evaluation/counterKeys.ts'
import { createCounterKeys, digestTallies } from '../../../state/evaluation/listTallies.ts'
import type { OpenedEvaluation } from '../scan/foldBacktest.ts'
import { runScan, type ScanContext, type ScanPlan } from '../scan/scan.ts'
import { createRecount } from './countAgain.ts'

export type Counting = ReturnType<typeof openCounting>

/** The scan of what counts, and the longest window that is asked for. */
export interface TallyScan extends ScanPlan {
  readonly window: CounterWindow
}

interface CountingScan {
  readonly account: string
  /** Undefined where no rule has counters. */
  readonly scan: TallyScan | undefined
  /** The evidence of evaluations up to this time is erased: in milliseconds since the Unix epoch. */
  readonly erasedMs: number
  readonly signal: AbortSignal
}

/** Clocks of instances differ by so much: what counts may be later by its clock than what it counts for. */
export const aheadMs = 5 * 60 * 1_000

/** Counts in the order of time, as far as it is asked to. */
export function openCounting(
  context: ScanContext,
  { account, scan, erasedMs, signal }: CountingScan,
) {
  const { keyring } = context
  const recount = createRecount()
  const steps = scan && runScan(context, scan, { kind: 'tallies', signal })
  let reachedMs = scan ? scan.fromMs : Number.POSITIVE_INFINITY
  return {
    /** Counts what evaluations between these times may ask for; one step at a time, each call later than the last. */
    advanceTo: async function* (fromMs: number, toMs: number): AsyncGenerator<void> {
      if (scan) recount.needFrom(findWindowStart(scan.window, fromMs))
      while (steps && scan && reachedMs < toMs + aheadMs && !recount.isFull()) {
        const step = await steps.next()
        if (step.done) {
          reachedMs = Number.POSITIVE_INFINITY
          return
        }
        for (const { recorded, found, ...one } of step.value.folded) {
          recount.add({ ...one, tallies: [...recorded, ...digestTallies(keyring, account, found)] })
        }
        reachedMs = scan.fromMs + step.value.done * (scan.toMs - scan.fromMs)
        yield
      }
    },
    /** What counters without an answer on record would have answered, and those that nobody can answer. */
    answer: (one: OpenedEvaluation, asked: readonly CounterAsk[]): CountedAnswers => {
      const keyOf = createCounterKeys(
        keyring,
        account,
        readValues(new Map(one.evidence), one.flowId),
      )
      const counted = asked.map(({ name, counter: { series, window } }) => {
        const isOnRecord = findWindowStart(window, one.asOf.timeMs) > erasedMs
        const key = isOnRecord && countsEvaluations(series) ? keyOf(series) : undefined
        const question = { series: series.id, window, asOf: one.asOf }
        const value = key === undefined ? undefined : recount.answer({ ...question, key })
        return { name, value }
      })
      return {
        answers: counted.flatMap(({ name, value }) =>
          value === undefined ? [] : [[name, { value, source: 'counter' }] as const],
        ),
        open: new Set(counted.flatMap(({ name, value }) => (value === undefined ? [name] : []))),
      }
    },
  }
}

interface CountedAnswers {
  readonly answers: readonly (readonly [name: string, item: EvidenceItem])[]
  readonly open: ReadonlySet<string>
}
