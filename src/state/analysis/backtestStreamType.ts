/** Declares the backtests of an account with their stream type, and shows their reports. */

import { labelMeanings } from '../../domain/evaluation/labelClasses.ts'
import {
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { verdictSchema } from '../../engine/run/result.ts'
import {
  type BacktestEvent,
  type BacktestFacts,
  type BacktestProgress,
  type BacktestRow,
  type BacktestState,
  type BacktestTotals,
  backtestLists,
  evolveBacktests,
  judgedVerdicts,
  triedKinds,
} from '../../events/analysis/backtest.ts'
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'
import { jobFields, toJobView } from '../folding/jobState.ts'
import type { StreamType } from '../folding/streamType.ts'

const judgedSchema = { type: 'string', enum: judgedVerdicts } as const
const verdicts = {
  answered: verdictSchema,
  unchanged: optional({
    ...judgedSchema,
    description: 'By the flow of today; absent where a rule is tried alone.',
  }),
  draft: {
    ...judgedSchema,
    description: 'NOT_EVALUATED: it depends on an answer or outcome that is not on record.',
  },
} as const

const rowSchema = openObject('BacktestRow', {
  ...verdicts,
  evaluations: countSchema,
  partial: {
    ...countSchema,
    description: 'Of these, those in which a rule of the draft was not evaluated.',
  },
  fraud: countSchema,
  legitimate: countSchema,
  unlabelled: countSchema,
})

const changes = { to_flag: countSchema, to_pass: countSchema } as const

const factFields = {
  flow_id: optional(text),
  lists: { type: 'string', enum: backtestLists },
  from: timeSchema,
  to: timeSchema,
} as const

const reportFields = {
  ...factFields,
  evaluations: { ...countSchema, description: 'Those that were judged.' },
  forgotten: { ...countSchema, description: 'Those whose evidence has been erased: not judged.' },
  table: { type: 'array', items: rowSchema },
  by_draft: openObject('ChangesByDraft', changes, {
    description: 'Verdicts of the flow of today that the draft turns.',
  }),
  anyway: openObject('ChangesAnyway', changes, {
    description: 'Answered verdicts that the flow of today turns without the draft.',
  }),
  changed: {
    type: 'array',
    items: openObject('BacktestChange', {
      id: text,
      ...verdicts,
      label_class: optional({ type: 'string', enum: labelMeanings }),
    }),
    description: 'The first thousand evaluations whose known verdicts differ.',
  },
  changed_more: { ...countSchema, description: 'How many more there are.' },
} as const

export const backtestReportSchema = openObject('BacktestReport', reportFields)
export type BacktestReport = TypeOf<typeof backtestReportSchema>

const jobOfBacktest = {
  ...jobFields,
  tried: { type: 'string', enum: triedKinds },
  recipe_id: optional({ type: 'string', description: 'The recipe whose weights are others.' }),
  end: {
    type: 'string',
    description: 'Where the log ended when it began: what came later does not count.',
  },
  scanned: {
    ...countSchema,
    description:
      'Evaluations that were looked at, the newest first; the oldest where counters are tried.',
  },
  done: { type: 'number', description: 'How much of the range of time is done, 0 to 1.' },
} as const

/** A backtest without its report. */
export const listedBacktestSchema = openObject('ListedBacktest', {
  ...jobOfBacktest,
  ...factFields,
})
export type ListedBacktest = TypeOf<typeof listedBacktestSchema>

/** A backtest with what it has found so far. */
export const backtestViewSchema = openObject('Backtest', { ...jobOfBacktest, ...reportFields })
export type BacktestView = TypeOf<typeof backtestViewSchema>

export interface BacktestStreams {
  readonly backtests: FoldedStreamCache<readonly BacktestState[], BacktestEvent>
}

/** What came of a slice, and the last evaluation that it looked at. */
export interface BacktestPart extends BacktestTotals, BacktestProgress {}

/** Which evaluations of a backtest are judged: those behind `after`, in order, up to a position of the log. */
export interface BacktestRange extends Pick<BacktestFacts, 'from_ms' | 'to_ms'> {
  readonly end: number
  readonly after?: BacktestProgress['after']
}

/** A backtest that is to be run as a job: the queries prepare it. */
export interface PreparedJob {
  /** As it was asked for. */
  readonly asked: unknown
  readonly facts: BacktestFacts
  /** The text of all that its report depends on, beside the log. */
  readonly order: string
  readonly run: (range: BacktestRange, signal: AbortSignal) => AsyncIterable<BacktestPart>
}

const changedBytes = 200
const backtestBytes = 4_000

export const backtestStreamType: StreamType<readonly BacktestState[], BacktestEvent> = {
  initial: () => [],
  evolve: evolveBacktests,
  estimateBytes: (backtests) =>
    backtests.reduce((sum, { changed }) => sum + changed.length * changedBytes + backtestBytes, 0),
}

export function toListedBacktest(backtest: BacktestState, nowMs: number): ListedBacktest {
  const { tried, recipe_id, end, scanned, outcome } = backtest
  return {
    ...toJobView(backtest, nowMs),
    tried,
    ...(recipe_id !== undefined && { recipe_id }),
    end: String(end),
    scanned,
    done: outcome === 'DONE' ? 1 : findDone(backtest),
    ...showFacts(backtest),
  }
}

function findDone({ after, from_ms, to_ms, oldest_first }: BacktestState): number {
  if (!after) return 0
  const passedMs = oldest_first ? after.time_ms - from_ms : to_ms - after.time_ms
  return passedMs / (to_ms - from_ms)
}

export function toBacktestView(backtest: BacktestState, nowMs: number): BacktestView {
  return { ...toListedBacktest(backtest, nowMs), ...toBacktestReport(backtest, backtest) }
}

function showFacts({ flow_id, lists, from_ms, to_ms }: Omit<BacktestFacts, 'tried'>) {
  return {
    ...(flow_id !== undefined && { flow_id }),
    lists,
    from: isoTime(from_ms),
    to: isoTime(to_ms),
  }
}

/** The report of what has been summed up. */
export function toBacktestReport(
  facts: Omit<BacktestFacts, 'tried'>,
  { rows, changed, changed_count, forgotten }: BacktestTotals,
): BacktestReport {
  const table = [...rows].sort((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1))
  return {
    ...showFacts(facts),
    evaluations: table.reduce((sum, { evaluations }) => sum + evaluations, 0),
    forgotten,
    table,
    by_draft: countChanges(table, ({ answered, unchanged = answered }) => unchanged, 'draft'),
    anyway: countChanges(table, ({ answered }) => answered, 'unchanged'),
    changed,
    changed_more: changed_count - changed.length,
  }
}

function rankOf({ answered, unchanged, draft }: BacktestRow): string {
  return [answered, unchanged, draft].join(' ')
}

function countChanges(
  table: readonly BacktestRow[],
  before: (row: BacktestRow) => BacktestRow['draft'],
  after: 'draft' | 'unchanged',
): BacktestReport['anyway'] {
  const count = (from: string, to: string) =>
    table
      .filter((row) => before(row) === from && row[after] === to)
      .reduce((sum, { evaluations }) => sum + evaluations, 0)
  return { to_flag: count('PASS', 'FLAG'), to_pass: count('FLAG', 'PASS') }
}
