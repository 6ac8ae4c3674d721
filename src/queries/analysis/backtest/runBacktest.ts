/** Runs a backtest slice by slice, asks lists anew if wanted, and sums up what came of it. */

import type { Call } from '../../../domain/call.ts'
import { longWork, pauseLongWork, runInSlices } from '../../../domain/load/scheduler.ts'
import type { Evidence, EvidenceItem } from '../../../engine/run/evidence.ts'
import { accountStream } from '../../../events/accounts/account.ts'
import {
  addBacktestTotals,
  type BacktestTotals,
  changedMax,
  emptyBacktestTotals,
} from '../../../events/analysis/backtest.ts'
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
  const steps = runScan(context, prepared.scan, { kind: 'backtest', ...options })
  for await (const { folded, ...step } of steps) {
    const { opened, ...judged } = folded
    const isAsked = prepared.order.method === 'ask'
    const asked = isAsked && (await judgeOpened(context, call, { prepared, opened }))
    yield { ...step, folded: { ...judged, ...asked } }
  }
}

/** Judges evaluations by what lists and calls answer now, in their order. */
function judgeOpened(
  context: BacktestContext,
  { principal: { accountId: account } }: Call,
  asked: Pick<Asking, 'prepared'> & { readonly opened: readonly OpenedEvaluation[] },
): Promise<Omit<FoldedBacktest, 'forgotten'>> {
  const { prepared, opened } = asked
  const { draft, unchanged } = prepared.order
  return longWork(context, account, async () => {
    const tally = openTally()
    for (const { evidence, ...about } of opened) {
      const asking = { account, prepared, evidence: new Map(evidence) }
      const judged = await judgeAnew(context, asking, draft)
      const beside = unchanged && (await judgeAnew(context, asking, unchanged))
      tally.add({ ...about, draft: judged, unchanged: beside?.verdict })
      await pauseLongWork(context)
    }
    return tally.take()
  })
}

interface Asking {
  readonly account: string
  readonly prepared: PreparedBacktest
  readonly evidence: Evidence
}

/** The clock of the rules, by which entries expire, stays that of the record. */
async function judgeAnew(
  context: BacktestContext,
  asking: Asking,
  of: BacktestPlan,
): Promise<Judgement> {
  const { account, prepared, evidence } = asking
  const { compiled } = await context.compiledPlans.getOrCompile({ account, ...of })
  const timeMs = Number(evidence.get('request.time')?.value)
  const known = new Map(evidence)
  for (const [name, item] of await askOwnLists(context, asking, timeMs)) known.set(name, item)
  const gathered = { evidence: known, notCounted: [], unanswered: new Map() }
  const { lookups, ...answered } = answerCalls(gathered, compiled)
  const looking = { account, rulebook: prepared.rulebook, lookups, timeMs }
  const possible = await runInSlices(context, findPossibleAnswers(context, looking))
  const answers = await findListAnswers(context, looking, possible)
  const { evidence: whole } = addListAnswers({ ...answered, lookups }, answers)
  const run = await runInSlices(context, compiled.runSteps(whole))
  return judgeBacktestPlan(of, readRunLetters(run, new Set()))
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
