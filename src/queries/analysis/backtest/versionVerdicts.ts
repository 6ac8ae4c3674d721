/** Lists the verdicts that were given under a version and that the flow of today would change. */

import type { Call } from '../../../domain/call.ts'
import { notFound, unavailable } from '../../../domain/failure.ts'
import { longWork, pauseLongWork } from '../../../domain/load/scheduler.ts'
import type { Mutable } from '../../../domain/mutable.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import type { Verdict } from '../../../engine/run/result.ts'
import type { ChangedVerdict } from '../../../events/analysis/backtest.ts'
import { openEvent } from '../../../events/catalogue.ts'
import { readClock } from '../../../events/evaluation/evaluationEvents.ts'
import { managedStream, rulebookStream } from '../../../events/rulebook/rulebook.ts'
import { versionCollection } from '../../../projections/rulebook/versions.ts'
import { findDocuments } from '../../../projections/running/documents.ts'
import { findEvaluationRecord } from '../../../state/evaluation/readEvaluationRecord.ts'
import { readPersonalData } from '../../evaluation/decryptEvaluation.ts'
import type { ScanStep } from '../scan/scan.ts'
import { findTopValues } from '../topValues.ts'
import type { FoldedBacktest } from './backtestRows.ts'
import {
  type BacktestContext,
  type BacktestQuery,
  type PreparedBacktest,
  pinForBacktest,
  planFlow,
  preparePlans,
} from './prepareBacktest.ts'
import { runBacktest } from './runBacktest.ts'

/** A verdict to act upon, as a row of an export. */
export interface VersionVerdict {
  readonly id: string
  readonly evaluated_at: string
  readonly flow: string
  readonly 'target.phone_number'?: string
  readonly 'target.email_address'?: string
  readonly answered: Verdict
  readonly now: Verdict
  readonly correlation_id?: string
}

export interface VersionVerdictsView {
  readonly version_id: string
  readonly from: string
  readonly to: string
  /** Those that ran the version. */
  readonly evaluations: number
  readonly to_flag: number
  readonly to_pass: number
  /** Those that depend on an answer that is not on record. */
  readonly not_evaluated: number
  /** Those whose evidence has been erased. */
  readonly forgotten: number
  /** Those of flows that there are no more. */
  readonly without_flow: number
}

export interface VersionVerdictsQuery extends BacktestQuery {
  readonly versionId: string
}

/** What a step of the scan came to. */
interface FoldedVerdicts extends Pick<FoldedBacktest, 'rows' | 'forgotten'> {
  readonly verdicts: readonly VersionVerdict[]
}

type Totals = Mutable<Omit<VersionVerdictsView, 'version_id' | 'from' | 'to'>>

/**
 * Steps of the search, and what adds them up: a scan for the flows that ran the version, then for each of them a
 * backtest of the flow of today. Throws `not_found`, and as `prepareScan`.
 */
export async function listVersionVerdicts(
  context: BacktestContext,
  call: Call,
  { versionId, signal, ...asked }: VersionVerdictsQuery & { readonly signal: AbortSignal },
) {
  await requireVersion(context, call.principal.accountId, versionId)
  const { lists, fromMs = 0, toMs = context.clock.nowMs() + 1 } = asked
  const ran = `ran = ${versionId}`
  const where = asked.where === undefined ? ran : `${ran} and ${asked.where}`
  const ofFlows = { name: 'flow', limit: Number.POSITIVE_INFINITY, where, fromMs, toMs, signal }
  const top = await findTopValues(context, call, ofFlows)
  const found = { to_flag: 0, to_pass: 0, not_evaluated: 0 }
  const sum: Totals = { evaluations: 0, ...found, forgotten: 0, without_flow: 0 }
  const span = { version_id: versionId, from: isoTime(fromMs), to: isoTime(toMs) }
  return {
    steps: runFlows(context, call, { top, sum, where, lists, signal }),
    add: (folded: FoldedVerdicts) => addVerdicts(sum, folded),
    lines: ({ verdicts }: FoldedVerdicts) => verdicts.map((verdict) => ({ verdict })),
    result: (): VersionVerdictsView => {
      const evaluations = sum.evaluations + sum.forgotten + sum.without_flow
      return { ...span, ...sum, evaluations }
    },
  }
}

/** Throws `not_found` unless it is a version of the account's. */
async function requireVersion(context: BacktestContext, account: string, version_id: string) {
  const [found] = await findDocuments(context, versionCollection, {
    where: { version_id },
    limit: 1,
  })
  if (found?.body.account !== account) throw notFound()
}

type Top = Awaited<ReturnType<typeof findTopValues>>

interface Search extends Pick<BacktestQuery, 'lists'> {
  readonly top: Top
  readonly sum: Totals
  readonly where: string
  readonly signal: AbortSignal
}

const nothing: FoldedVerdicts = { rows: [], forgotten: 0, verdicts: [] }

async function* runFlows(
  context: BacktestContext,
  call: Call,
  { top, sum, signal, ...asked }: Search,
): AsyncGenerator<ScanStep<FoldedVerdicts>, void, undefined> {
  for await (const { folded, ...step } of top.steps) {
    top.add(folded)
    yield { ...step, done: 0, folded: nothing }
  }
  const { values, all } = top.result()
  let judged = 0
  for (const flow of values) {
    const prepared = await prepareFlow(context, call, { ...asked, flow })
    const steps = prepared ? runBacktest(context, call, { prepared, signal }) : []
    if (!prepared) sum.without_flow += flow.evaluations
    for await (const { folded, ...step } of steps) {
      const { rows, forgotten, changed } = folded
      const verdicts = await readVerdicts(context, call, { flow: flow.value, changed })
      const done = Math.min(1, (judged + step.matched) / all.evaluations)
      yield { ...step, done, folded: { rows, forgotten, verdicts } }
    }
    judged += flow.evaluations
  }
}

/** A backtest of the flow as it is now, over the time in which it ran the version; undefined where it is no more. */
async function prepareFlow(
  context: BacktestContext,
  call: Call,
  { flow, where, lists }: Omit<Search, 'top' | 'sum' | 'signal'> & { readonly flow: CountedFlow },
): Promise<PreparedBacktest | undefined> {
  const account = call.principal.accountId
  const { state: own } = await context.rulebooks.catchUp(rulebookStream(account))
  const { state: managed } = await context.managed.catchUp(managedStream)
  const draft = await longWork(context, account, async () => {
    const plan = await planFlow(context, { own, managed }, flow.value)
    return plan && pinForBacktest(context, account, plan)
  })
  if (!draft) return undefined
  const fromMs = Date.parse(flow.first_seen ?? '')
  const range = { where, fromMs, toMs: Date.parse(flow.last_seen ?? '') + 1 }
  const tried = { draft, flowId: flow.value, rulebook: own, isReweighed: false, lists, range }
  return preparePlans(context, call, tried)
}

type CountedFlow = ReturnType<Top['result']>['values'][number]

/** What is to be acted upon, from the records: without the person where it has been erased meanwhile. */
function readVerdicts(
  context: BacktestContext,
  call: Call,
  { flow, changed }: { readonly flow: string; readonly changed: readonly ChangedVerdict[] },
): Promise<readonly VersionVerdict[]> {
  return longWork(context, call.principal.accountId, async () => {
    const verdicts: VersionVerdict[] = []
    for (const { id, answered, draft } of changed) {
      const record = await findEvaluationRecord(context.events, id)
      if (!record) throw unavailable(`The log has no evaluation ${id}.`)
      const { decoded } = record
      const { data } = (await openEvent(decoded, context.keyring)).event
      const personalData = readPersonalData({ data, decoded })
      const read = (field: 'phone_number' | 'email_address') => {
        const value = personalData?.evidence.get(`target.${field}`)?.value
        return value === undefined ? {} : { [`target.${field}`]: String(value) }
      }
      const correlation = personalData?.correlationId
      verdicts.push({
        ...{ id, evaluated_at: isoTime(readClock(decoded)), flow },
        ...read('phone_number'),
        ...read('email_address'),
        // one that is not known differs from nothing
        ...{ answered, now: draft as Verdict },
        ...(correlation !== undefined && { correlation_id: correlation }),
      })
      await pauseLongWork(context)
    }
    return verdicts
  })
}

function addVerdicts(sum: Totals, { rows, forgotten }: FoldedVerdicts): void {
  for (const { answered, draft, evaluations } of rows) {
    sum.evaluations += evaluations
    if (draft === 'NOT_EVALUATED') sum.not_evaluated += evaluations
    else if (draft !== answered) sum[draft === 'FLAG' ? 'to_flag' : 'to_pass'] += evaluations
  }
  sum.forgotten += forgotten
}
