/** Scans what counted before the evaluations of a backtest, and answers counters that are not on record. */

import type { CounterAsk } from '../../../engine/compile/compileAskedCall.ts'
import type { EvidenceItem } from '../../../engine/run/evidence.ts'
import { readValues } from '../../../state/evaluation/counterKeys.ts'
import { digestTallies, openCounterKeys } from '../../../state/evaluation/listTallies.ts'
import type { OpenedEvaluation } from '../scan/foldBacktest.ts'
import { runScan, type ScanContext, type ScanPlan } from '../scan/scan.ts'
import { createRecount } from './countAgain.ts'

export type Counting = ReturnType<typeof openCounting>

interface CountingScan {
  readonly account: string
  /** Undefined where no rule has counters. */
  readonly scan: ScanPlan | undefined
  readonly signal: AbortSignal
}

/** Clocks of instances differ by so much: what counts may be later by its clock than what it counts for. */
const aheadMs = 5 * 60 * 1_000

/** Counts in the order of time, as far as it is asked to. */
export function openCounting(context: ScanContext, { account, scan, signal }: CountingScan) {
  const { keyring } = context
  const recount = createRecount()
  const steps = scan && runScan(context, scan, { kind: 'tallies', signal })
  let reachedMs = scan ? scan.fromMs : Number.POSITIVE_INFINITY
  return {
    /** Counts what happened until this time; one step at a time. */
    advanceTo: async function* (timeMs: number): AsyncGenerator<void> {
      while (steps && scan && reachedMs < timeMs + aheadMs && !recount.isFull()) {
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
    /** What those counters would have answered that the plan of then did not ask, and those that nobody can answer. */
    answer: (
      { open: notAsked, asOf, flowId, evidence }: OpenedEvaluation,
      asked: readonly CounterAsk[],
    ) => {
      const answers: (readonly [name: string, item: EvidenceItem])[] = []
      const open = new Set<string>()
      const keyOf = openCounterKeys(keyring, account, readValues(new Map(evidence), flowId))
      for (const { name, counter } of asked) {
        if (!notAsked.includes(name)) continue
        const { series, window } = counter
        const key = keyOf(series.by)
        const isScanned = series.source === 'evaluations' || series.source === 'flagged'
        const value =
          key !== undefined && isScanned
            ? recount.answer({ series: series.id, key, window, asOf })
            : undefined
        if (value === undefined) open.add(name)
        else answers.push([name, { value, source: 'counter' }])
      }
      return { answers, open }
    },
  }
}
