/** Scans what counts for a backtest, and answers counters that are not on record. */

import type { CounterAsk } from '../../../engine/compile/compileAskedCall.ts'
import type { CounterSeries } from '../../../engine/language/counters.ts'
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
    answer: (one: OpenedEvaluation, asked: readonly CounterAsk[]): CountedAnswers => {
      const keyOf = openCounterKeys(keyring, account, readValues(new Map(one.evidence), one.flowId))
      const counted = asked
        .filter(({ name }) => one.open.includes(name))
        .map(({ name, counter: { series, window } }) => {
          const key = isScanned(series) ? keyOf(series.by) : undefined
          const question = { series: series.id, window, asOf: one.asOf }
          return {
            name,
            value: key === undefined ? undefined : recount.answer({ ...question, key }),
          }
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

/** Of dispatches and feedback no scan tells. */
function isScanned({ source }: CounterSeries): boolean {
  return source === 'evaluations' || source === 'flagged'
}
