/** Runs a backtest slice by slice, asks lists anew if wanted, and sums up what came of it. */

import type { Call } from '../../../domain/call.ts'
import { labelMeanings } from '../../../domain/evaluation/labelClasses.ts'
import {
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../../domain/jsonSchema.ts'
import { longWork, pauseLongWork, runInSlices } from '../../../domain/load/scheduler.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { isCounterAsk } from '../../../engine/compile/compileAskedCall.ts'
import type { Evidence, EvidenceItem } from '../../../engine/run/evidence.ts'
import { verdictSchema } from '../../../engine/run/result.ts'
import { accountStream } from '../../../events/accounts/account.ts'
import { addListAnswers, answerCalls } from '../../../state/evaluation/gatherEvidence.ts'
import {
  findListAnswers,
  findPossibleAnswers,
  lookUpTarget,
} from '../../../state/lists/listLookups.ts'
import {
  type BacktestPlan,
  judgeBacktestPlan,
  type OpenedEvaluation,
} from '../scan/foldBacktest.ts'
import { runScan, type ScanStep } from '../scan/scan.ts'
import {
  addToRows,
  type BacktestRow,
  type BacktestRows,
  type ChangedVerdict,
  type FoldedBacktest,
  openTally,
} from './backtestRows.ts'
import { type Counting, openCounting } from './countingScan.ts'
import { type Judgement, readRunLetters } from './judgePlan.ts'
import type { BacktestContext, BacktestQuery, PreparedBacktest } from './prepareBacktest.ts'

const judgedSchema = { type: 'string', enum: ['FLAG', 'PASS', 'NOT_EVALUATED'] } as const
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

export const backtestReportSchema = openObject('Backtest', {
  flow_id: optional(text),
  lists: { type: 'string', enum: ['then', 'now'] },
  from: timeSchema,
  to: timeSchema,
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
    description:
      'The first thousand evaluations whose known verdicts differ; NDJSON has a line for each before.',
  },
  changed_more: { ...countSchema, description: 'How many more there are.' },
})
export type BacktestReport = TypeOf<typeof backtestReportSchema>

/** Changed verdicts that a report contains. */
const changedMax = 1_000

/** Every step of the scan, judged. Throws as `runScan`. */
export async function* runBacktest(
  context: BacktestContext,
  call: Call,
  { prepared, signal }: { readonly prepared: PreparedBacktest; readonly signal: AbortSignal },
): AsyncGenerator<ScanStep<FoldedBacktest>, void, undefined> {
  const options = { kind: 'backtest' as const, signal }
  const { accountId: account } = call.principal
  const counting = openCounting(context, { account, scan: prepared.tallies, signal })
  for await (const _ of counting.advanceTo(prepared.scan.fromMs)) yield nothingYet
  for await (const { folded, ...step } of runScan(context, prepared.scan, options)) {
    const { opened, ...judged } = folded
    const last = Math.max(0, ...opened.map(({ asOf }) => asOf.timeMs))
    for await (const _ of counting.advanceTo(last)) yield nothingYet
    const asking = { prepared, opened, counting }
    const asked = opened.length > 0 && (await judgeOpened(context, call, asking))
    yield { ...step, folded: { ...judged, ...asked } }
  }
}

/** The step in which nothing is judged, while what counts is read. */
const nothingYet: ScanStep<FoldedBacktest> = {
  folded: { rows: [], changed: [], forgotten: 0 },
  ...{ scanned: 0, matched: 0, done: 0 },
}

/** Judges evaluations by what lists and calls answer now, in their order. */
function judgeOpened(
  context: BacktestContext,
  { principal: { accountId: account } }: Call,
  asked: Pick<Asking, 'prepared' | 'counting'> & { readonly opened: readonly OpenedEvaluation[] },
): Promise<Omit<FoldedBacktest, 'forgotten'>> {
  const { prepared, opened, counting } = asked
  const { draft, unchanged } = prepared.order
  return longWork(context, account, async () => {
    const tally = openTally()
    const judge = prepared.order.method === 'ask' ? judgeAnew : judgeCounted
    for (const one of opened) {
      const { evidence, flowId: _, asOf: __, open: ___, ...about } = one
      const asking = { account, prepared, counting, one, evidence: new Map(evidence) }
      const judged = await judge(context, asking, draft)
      const beside = unchanged && (await judge(context, asking, unchanged))
      tally.add({ ...about, draft: judged, unchanged: beside?.verdict })
      await pauseLongWork(context)
    }
    return tally.take()
  })
}

interface Asking {
  readonly account: string
  readonly prepared: PreparedBacktest
  readonly counting: Counting
  readonly one: OpenedEvaluation
  readonly evidence: Evidence
}

/** By the answers that are on record, and by what counters would have answered. */
async function judgeCounted(
  context: BacktestContext,
  { account, counting, one, evidence }: Asking,
  of: BacktestPlan,
): Promise<Judgement> {
  const { compiled } = await context.compiledPlans.getOrCompile({ account, ...of })
  const asked = compiled.computeAsks(evidence).filter(isCounterAsk)
  const { answers, open } = counting.answer(one, asked)
  const whole = new Map([...evidence, ...answers])
  const run = await runInSlices(context, compiled.runSteps(whole))
  const calls = one.open.filter((name) => !asked.some((counter) => counter.name === name))
  return judgeBacktestPlan(of, readRunLetters(run, new Set([...calls, ...open])))
}

/** The clock of the rules, by which entries expire, stays that of the record. */
async function judgeAnew(
  context: BacktestContext,
  asking: Asking,
  of: BacktestPlan,
): Promise<Judgement> {
  const { account, prepared, counting, one, evidence } = asking
  const { compiled } = await context.compiledPlans.getOrCompile({ account, ...of })
  const timeMs = Number(evidence.get('request.time')?.value)
  const known = new Map(evidence)
  for (const [name, item] of await askOwnLists(context, asking, timeMs)) known.set(name, item)
  const gathered = { evidence: known, notCounted: [], unanswered: new Map() }
  const { lookups, counters, ...answered } = answerCalls(gathered, compiled)
  const looking = { account, rulebook: prepared.rulebook, lookups, timeMs }
  const possible = await runInSlices(context, findPossibleAnswers(context, looking))
  const answers = await findListAnswers(context, looking, possible)
  const { evidence: whole } = addListAnswers({ ...answered, lookups, counters }, answers)
  const counted = counting.answer(one, counters)
  const run = await runInSlices(context, compiled.runSteps(new Map([...whole, ...counted.answers])))
  return judgeBacktestPlan(of, readRunLetters(run, counted.open))
}

async function askOwnLists(
  context: BacktestContext,
  { account, evidence }: Asking,
  timeMs: number,
): Promise<readonly (readonly [name: string, item: EvidenceItem])[]> {
  const number = evidence.get('target.phone_number')?.value
  const target = typeof number === 'string' ? { phone_number: number } : {}
  const { state } = await context.accounts.getFolded(accountStream(account))
  const answers = await lookUpTarget(context, { account, state, target, timeMs })
  return (['allow', 'block'] as const).map((list) => [
    `list.${list}`,
    { value: answers[list].listed, source: 'list' },
  ])
}

/** Joins what came of the steps. */
export function openBacktestSum(
  { scan: { fromMs, toMs }, flowId }: PreparedBacktest,
  lists: BacktestQuery['lists'],
) {
  const rows: BacktestRows = new Map()
  const changed: ChangedVerdict[] = []
  let changedCount = 0
  let forgotten = 0
  return {
    add: (folded: FoldedBacktest): void => {
      for (const row of folded.rows) addToRows(rows, row)
      changed.push(...folded.changed.slice(0, changedMax - changed.length))
      changedCount += folded.changed.length
      forgotten += folded.forgotten
    },
    result: (): BacktestReport => {
      const table = [...rows.values()].sort((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1))
      return {
        ...(flowId !== undefined && { flow_id: flowId }),
        lists,
        from: isoTime(fromMs),
        to: isoTime(toMs),
        evaluations: table.reduce((sum, { evaluations }) => sum + evaluations, 0),
        forgotten,
        table,
        by_draft: countChanges(table, ({ answered, unchanged = answered }) => unchanged, 'draft'),
        anyway: countChanges(table, ({ answered }) => answered, 'unchanged'),
        changed,
        changed_more: changedCount - changed.length,
      }
    },
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
