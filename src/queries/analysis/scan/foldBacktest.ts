/** Folds evaluations into what a draft, and the unchanged flow, would have answered. */

import { runInSlices } from '../../../domain/load/scheduler.ts'
import { isCounterAsk } from '../../../engine/compile/compileAskedCall.ts'
import type { Evidence, EvidenceItem } from '../../../engine/run/evidence.ts'
import type { Plan } from '../../../engine/run/plan.ts'
import type { RunnablePlan } from '../../../state/evaluation/flowPlanCache.ts'
import { gatherUserAgent } from '../../../state/evaluation/gatherEvidence.ts'
import { type FoldedBacktest, type JudgedEvaluation, openTally } from '../backtest/backtestRows.ts'
import type { CountedAsOf } from '../backtest/countAgain.ts'
import {
  type Judgement,
  judgeLetters,
  type Letters,
  openRecordLetters,
  readRunLetters,
} from '../backtest/judgePlan.ts'
import type { Fold, FoldContext } from './folds.ts'
import type { ScannedEvaluation } from './scanNames.ts'
import type { Matcher } from './where.ts'

/** A plan with its digest, as plain data. */
export interface BacktestPlan {
  readonly plan: Plan
  readonly digest: string
  /** Whether it is one rule, not evaluated where the rule is not. */
  readonly isRule?: true
}

export interface BacktestOrder {
  readonly account: string
  readonly draft: BacktestPlan
  /** The flow of today. */
  readonly unchanged?: BacktestPlan
  /**
   * `record`: judged by recorded outcomes. `run`: run over the recorded evidence and the recorded answers of lists and
   * calls. `count`: the same, but opened, and judged by the caller of the scan, who counts what counters would have
   * answered. `ask`: opened, and judged by the caller, who also asks lists and calls anew.
   */
  readonly method: 'record' | 'run' | 'count' | 'ask'
}

/** An evaluation that is opened and not judged. */
export interface OpenedEvaluation extends Omit<JudgedEvaluation, 'draft' | 'unchanged'> {
  readonly flowId: string
  /** As of when its counters count. */
  readonly asOf: CountedAsOf
  /** For `ask` without what lists and calls answered. */
  readonly evidence: readonly (readonly [name: string, item: EvidenceItem])[]
  /** The calls that its plan did not ask. */
  readonly open: readonly string[]
}

interface FoldedEvaluations extends FoldedBacktest {
  readonly opened: readonly OpenedEvaluation[]
}

/** Characters of the evidence that one slice gives away. */
const openedCharsMax = 4 * 1024 * 1024

export function foldBacktest(
  order: BacktestOrder,
  _: Matcher,
  context: FoldContext,
): Fold<FoldedEvaluations> {
  const isOpened = order.method !== 'record'
  const tally = openTally()
  const opened: OpenedEvaluation[] = []
  const plans: Plans = { draft: undefined, unchanged: undefined }
  const readers = new Map<string, ReturnType<typeof openRecordLetters>>()
  let forgotten = 0
  let chars = 0

  const readLetters = async (name: 'draft' | 'unchanged', one: RecordedEvaluation) => {
    const asked = order[name] as BacktestPlan
    if (order.method === 'record') {
      const key = `${name} ${one.plan.digest}`
      const read = readers.get(key) ?? openRecordLetters(asked.plan, one.plan.plan)
      readers.set(key, read)
      return read(one.body.recipes)
    }
    plans[name] ??= await compile(context, order.account, asked)
    return runOverRecord(context, plans[name], one)
  }
  const compilePlans = async () => {
    plans.draft ??= await compile(context, order.account, order.draft)
    if (order.unchanged) plans.unchanged ??= await compile(context, order.account, order.unchanged)
    return [plans.draft, ...(plans.unchanged ? [plans.unchanged] : [])]
  }

  return {
    needs: { reports: true, runnable: true, record: isOpened, recorded: isOpened },
    add: async (scanned) => {
      const { id, body, record, runnable: plan, recorded, reports } = scanned
      if (!plan || (isOpened && !recorded)) {
        forgotten += 1
        return
      }
      const about = { id, answered: body.verdict, label: reports?.label_class }
      const one = { body, plan, evidence: recorded ?? new Map() }
      if (record && (order.method === 'ask' || order.method === 'count')) {
        const ready = await compilePlans()
        const { evidence, open } = openRecord(order.method, ready, one)
        chars += evidence.reduce(
          (sum, [name, { value }]) => sum + name.length + String(value).length,
          0,
        )
        const { flow_id: flowId } = body
        opened.push({ ...about, flowId, asOf: readCountedAsOf(body, record), evidence, open })
        return
      }
      const draft = judgeBacktestPlan(order.draft, await readLetters('draft', one))
      const { unchanged: beside } = order
      const unchanged = beside && judgeBacktestPlan(beside, await readLetters('unchanged', one))
      tally.add({ ...about, draft, unchanged: unchanged?.verdict })
    },
    isFull: () => chars >= openedCharsMax,
    take: () => ({ ...tally.take(), forgotten, opened }),
  }
}

interface Plans {
  draft: RunnablePlan | undefined
  unchanged: RunnablePlan | undefined
}

interface RecordedEvaluation extends Pick<ScannedEvaluation, 'body'> {
  readonly plan: RunnablePlan
  readonly evidence: Evidence
}

function compile(
  { compiledPlans }: FoldContext,
  account: string,
  { plan, digest }: BacktestPlan,
): Promise<RunnablePlan> {
  return compiledPlans.getOrCompile({ account, plan, digest })
}

/** The verdict of the plan by the letters of its rules. */
export function judgeBacktestPlan({ plan, isRule }: BacktestPlan, letters: Letters): Judgement {
  return judgeLetters(plan, isRule ? letters.map((one) => one.replace(/[MU]/g, '?')) : letters)
}

/** Runs the plan over what is on record, and nothing else. */
async function runOverRecord(
  context: FoldContext,
  ready: RunnablePlan,
  { evidence: recorded, plan }: RecordedEvaluation,
): Promise<Letters> {
  // what managed rules alone asked then would tell the account that they did
  const isHidden = (name: string) => ready.shownNames.has(name) && !plan.shownNames.has(name)
  const evidence = new Map(
    [...recorded].filter(([name, { source }]) => source !== 'call' || !isHidden(name)),
  )
  gatherUserAgent({ evidence }, ready.reads)
  const asked = ready.compiled.computeAsks(evidence).map(({ name }) => name)
  // what was asked then had no answer
  const open = new Set(asked.filter((name) => !plan.reads.has(name) || isHidden(name)))
  return readRunLetters(await runInSlices(context, ready.compiled.runSteps(evidence)), open)
}

/** What the plans read of the evidence, and the calls that were not asked then. */
function openRecord(
  method: 'ask' | 'count',
  plans: readonly RunnablePlan[],
  { evidence: recorded, plan }: RecordedEvaluation,
): Pick<OpenedEvaluation, 'evidence' | 'open'> {
  const reads = new Set(plans.flatMap((ready) => [...ready.reads]))
  // what managed rules alone asked then would tell the account that they did
  const isHidden = (name: string) =>
    !plan.shownNames.has(name) && plans.some(({ shownNames }) => shownNames.has(name))
  const isKept = ([name, { source }]: readonly [string, EvidenceItem]) =>
    method === 'count'
      ? source !== 'call' || !isHidden(name)
      : source !== 'list' && source !== 'call'
  const evidence = new Map([...recorded].filter(isKept))
  gatherUserAgent({ evidence }, reads)
  const asked = plans.flatMap(({ compiled }) => compiled.computeAsks(evidence))
  const open = asked
    .filter((ask) => !isCounterAsk(ask) && (!plan.reads.has(ask.name) || isHidden(ask.name)))
    .map(({ name }) => name)
  const read = [...evidence].filter(([name]) => reads.has(name) || alwaysOpened.has(name))
  return { evidence: read, open: [...new Set(open)] }
}

/** Of an imported evaluation the time tells what was before it; of any other one the position. */
function readCountedAsOf(
  { time: timeMs, at }: ScannedEvaluation['body'],
  { imported, counted_to }: NonNullable<ScannedEvaluation['record']>,
): CountedAsOf {
  return imported
    ? { timeMs, position: Number.POSITIVE_INFINITY, beforeMs: timeMs }
    : { timeMs, position: counted_to ?? at - 1, beforeMs: Number.POSITIVE_INFINITY }
}

/** The number is asked for on the account's own lists, and entries expire by the clock. */
const alwaysOpened: ReadonlySet<string> = new Set(['target.phone_number', 'request.time'])
