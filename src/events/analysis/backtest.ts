/** Declares the events of backtests (streams `backtests-{account}`), and folds them. */

import { labelMeanings } from '../../domain/evaluation/labelClasses.ts'
import { asSchemaOf, type TypeOf } from '../../domain/jsonSchema.ts'
import type { Mutable } from '../../domain/mutable.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import {
  epochMs,
  integerFrom,
  list,
  nonEmptyString,
  object,
  oneOf,
} from '../recording/eventSchema.ts'
import { beginJob, changeJob, type JobRecord, jobOutcomes } from '../recording/jobRecord.ts'

export const judgedVerdicts = ['FLAG', 'PASS', 'NOT_EVALUATED'] as const
/** A rule alone, a draft of a flow, or other weights of a recipe. */
export const triedKinds = ['rule', 'draft', 'weights'] as const
/** What lists and calls answer: what is on record, or what they answer when asked anew. */
export const backtestLists = ['then', 'now'] as const

const backtest = { backtest_id: nonEmptyString, at: epochMs }
const count = integerFrom(0)
const judged = oneOf(judgedVerdicts)
const verdicts = { answered: oneOf(['FLAG', 'PASS']), draft: judged }

const row = object(
  {
    ...verdicts,
    evaluations: count,
    partial: count,
    fraud: count,
    legitimate: count,
    unlabelled: count,
  },
  { unchanged: judged },
)
/**
 * Evaluations of the same three verdicts: what was answered, what the flow of today makes of the same evidence (absent
 * where nothing but the draft is judged), and the draft. Of them, those in which a rule of the draft was not evaluated,
 * and those of each class.
 */
export type BacktestRow = TypeOf<typeof row>

const changedVerdict = object(
  { id: nonEmptyString, ...verdicts },
  { unchanged: judged, label_class: oneOf(labelMeanings) },
)
/** An evaluation in which the verdicts that are known are not all the same. */
export type ChangedVerdict = TypeOf<typeof changedVerdict>

const totals = {
  rows: list(row),
  changed: list(changedVerdict),
  changed_count: count,
  forgotten: count,
}
const backtestTotals = object(totals)
/**
 * What came of some evaluations: ids and numbers. Of those that changed the first, and how many there are; how many
 * were not judged since their evidence is erased.
 */
export type BacktestTotals = TypeOf<typeof backtestTotals>

export const emptyBacktestTotals: BacktestTotals = {
  rows: [],
  changed: [],
  changed_count: 0,
  forgotten: 0,
}

/** Changed verdicts that a report names. */
export const changedMax = 1_000

/** Both together; the second came later. */
export function addBacktestTotals(one: BacktestTotals, other: BacktestTotals): BacktestTotals {
  const rows: BacktestRows = new Map()
  for (const each of [...one.rows, ...other.rows]) addToRows(rows, each)
  return {
    rows: [...rows.values()],
    changed: [...one.changed, ...other.changed].slice(0, changedMax),
    changed_count: one.changed_count + other.changed_count,
    forgotten: one.forgotten + other.forgotten,
  }
}

/** Sums of rows by their verdicts. */
export type BacktestRows = Map<string, Mutable<BacktestRow>>

export function addToRows(rows: BacktestRows, added: BacktestRow): void {
  const { answered, unchanged, draft } = added
  const key = `${answered} ${unchanged} ${draft}`
  const sum = rows.get(key)
  if (!sum) {
    rows.set(key, { ...added })
    return
  }
  sum.evaluations += added.evaluations
  sum.partial += added.partial
  sum.fraud += added.fraud
  sum.legitimate += added.legitimate
  sum.unlabelled += added.unlabelled
}

const facts = [
  {
    tried: oneOf(triedKinds),
    lists: oneOf(backtestLists),
    from_ms: epochMs,
    to_ms: epochMs,
  },
  {
    flow_id: nonEmptyString,
    recipe_id: nonEmptyString,
    // what counters count is counted in the order of time
    oldest_first: asSchemaOf<true>({ type: 'boolean', const: true }),
  },
] as const
const backtestFacts = object(...facts)
/** What is run over the evaluations of which time, without what it says: drafts and conditions may name persons. */
export type BacktestFacts = TypeOf<typeof backtestFacts>

const reached = object({ evaluation_id: nonEmptyString, time_ms: epochMs })

export const backtestEvents = {
  /**
   * Evaluations up to the position `end` count. `order` is the keyed digest of all that the report depends on: whoever
   * goes on must ask for the same.
   */
  BacktestStarted: defineNonPersonalEvent(
    { ...backtest, ...facts[0], end: integerFrom(0), order: nonEmptyString },
    facts[1],
  ),
  /** It goes on behind the last evaluation that was reported. */
  BacktestResumed: defineNonPersonalEvent(backtest),
  /** What came of the evaluations since the last report, in the order of time, and the last one that was looked at. */
  BacktestAdvanced: defineNonPersonalEvent(
    { ...backtest, ...totals, scanned: count },
    { after: reached },
  ),
  /** With the reason of one that failed. */
  BacktestEnded: defineNonPersonalEvent(
    { ...backtest, outcome: oneOf(jobOutcomes) },
    { reason: nonEmptyString },
  ),
}

export type BacktestEvent = EventOf<typeof backtestEvents>

/** How far a backtest is: the last evaluation that was looked at, and how many were. */
export interface BacktestProgress {
  readonly scanned: number
  readonly after?: TypeOf<typeof reached>
}

export interface BacktestState extends JobRecord, BacktestFacts, BacktestTotals, BacktestProgress {
  readonly end: number
  readonly order: string
}

export const backtestStream = (account: string): string => `backtests-${account}`

/** The backtests of an account, the one begun last first, after one more event. */
export function evolveBacktests(
  before: readonly BacktestState[],
  { type, data }: BacktestEvent,
): readonly BacktestState[] {
  const { backtest_id: id, at } = data
  switch (type) {
    case 'BacktestStarted': {
      const { backtest_id: _, at: __, ...of } = data
      const job = { id, started_at: at, reported_at: at, runs: 1 }
      return beginJob(before, { ...of, ...emptyBacktestTotals, ...job, scanned: 0 })
    }
    case 'BacktestResumed': {
      const [job] = before.filter((one) => one.id === id)
      if (!job) return before
      const { outcome: _, reason: __, ...of } = job
      return beginJob(before, { ...of, reported_at: at, runs: job.runs + 1 })
    }
    case 'BacktestAdvanced': {
      const { scanned, after } = data
      return changeJob(before, id, (job) => ({
        ...job,
        ...addBacktestTotals(job, data),
        scanned: job.scanned + scanned,
        ...(after && { after }),
        reported_at: at,
      }))
    }
    case 'BacktestEnded': {
      const { backtest_id: _, at: reported_at, ...end } = data
      return changeJob(before, id, (job) => ({ ...job, ...end, reported_at }))
    }
  }
}
