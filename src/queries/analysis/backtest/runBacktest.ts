/** Runs a backtest slice by slice, asks lists anew if wanted, and sums up what came of it. */

import type { Call } from '../../../domain/call.ts'
import { longWork, pauseLongWork, runInSlices } from '../../../domain/load/scheduler.ts'
import { isCounterAsk } from '../../../engine/compile/compileAskedCall.ts'
import type { Evidence, EvidenceItem } from '../../../engine/run/evidence.ts'
import { accountStream } from '../../../events/accounts/account.ts'
import {
  addBacktestTotals,
  type BacktestTotals,
  changedMax,
  emptyBacktestTotals,
} from '../../../events/analysis/backtest.ts'
import { retentionStream } from '../../../events/audit/retention.ts'
import {
  type BacktestReport,
  toBacktestReport,
} from '../../../state/analysis/backtestStreamType.ts'
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
import { type FoldedBacktest, openTally } from './backtestRows.ts'
import { type Counting, openCounting } from './countingScan.ts'
import { type Judgement, readRunLetters } from './judgePlan.ts'
import type { BacktestContext, BacktestQuery, PreparedBacktest } from './prepareBacktest.ts'

interface BacktestRun {
  readonly prepared: PreparedBacktest
  readonly signal: AbortSignal
  /** It ends with this many evaluations; with the range unless given. */
  readonly matchedMax?: number
}

/** Every step of the scan, judged. Throws as `runScan`. */
export async function* runBacktest(
  context: BacktestContext,
  call: Call,
  { prepared, ...options }: BacktestRun,
): AsyncGenerator<ScanStep<FoldedBacktest>, void, undefined> {
  const { signal } = options
  const { accountId: account } = call.principal
  const { scan } = prepared
  const { state: retention } = await context.retentions.catchUp(retentionStream(account))
  const erasedMs = retention.until?.time ?? 0
  const counting = openCounting(context, { account, scan: prepared.tallies, erasedMs, signal })
  let reached: Reached = { scanned: 0, matched: 0, done: 0, reachedMs: scan.fromMs }
  for await (const _ of counting.advanceTo(scan.fromMs, scan.fromMs)) {
    yield { ...reached, folded: nothing }
  }
  for await (const { folded, ...step } of runScan(context, scan, {
    kind: 'backtest',
    ...options,
  })) {
    const { opened, ...judged } = folded
    const [first, last] = [opened[0], opened.at(-1)]
    const counts = first && last && counting.advanceTo(first.asOf.timeMs, last.asOf.timeMs)
    for await (const _ of counts ?? []) yield { ...reached, folded: nothing }
    const asking = { prepared, opened, counting }
    const asked = opened.length > 0 && (await judgeOpened(context, call, asking))
    reached = step
    yield { ...step, folded: { ...judged, ...asked } }
  }
}

type Reached = Omit<ScanStep<FoldedBacktest>, 'folded'>

/** Of a step in which what counts is read. */
const nothing: FoldedBacktest = { rows: [], changed: [], forgotten: 0 }

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
  return judgeBacktestPlan(of, readRunLetters(run, new Set([...one.open, ...open])))
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
  { scan: { fromMs: from_ms, toMs: to_ms }, flowId }: PreparedBacktest,
  lists: BacktestQuery['lists'],
) {
  const facts = { ...(flowId !== undefined && { flow_id: flowId }), lists, from_ms, to_ms }
  let totals = emptyBacktestTotals
  return {
    add: (folded: FoldedBacktest): void => {
      totals = addBacktestTotals(totals, toBacktestTotals(folded))
    },
    result: (): BacktestReport => toBacktestReport(facts, totals),
  }
}

/** The figures of a report. */
export function toBacktestTotals({ rows, changed, forgotten }: FoldedBacktest): BacktestTotals {
  const first = changed.slice(0, changedMax)
  return { rows, changed: first, changed_count: changed.length, forgotten }
}
