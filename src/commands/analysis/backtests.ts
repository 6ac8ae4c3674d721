/** Runs backtests as jobs: starts one, goes on with one that did not reach its end, cancels one. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { deriveId, idPrefixes } from '../../domain/ids.ts'
import {
  addBacktestTotals,
  type BacktestEvent,
  type BacktestState,
  backtestStream,
  changedMax,
  evolveBacktests,
} from '../../events/analysis/backtest.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'
import {
  type BacktestPart,
  type BacktestStreams,
  type BacktestView,
  type PreparedJob,
  toBacktestView,
} from '../../state/analysis/backtestStreamType.ts'
import { requireJob, requireNoneRunning } from '../../state/folding/jobState.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait, readStateAfter } from '../handling/executeCommand.ts'
import { cancelJob, type JobContext, type JobsOfKind, runJob } from '../handling/jobs.ts'

type Context = JobContext & BacktestStreams

/**
 * Runs it over what the log has now, in the background: one backtest of an account at a time, on any instance. Throws
 * `conflict` while another one runs.
 */
export async function startBacktest(
  context: Context,
  call: Call,
  prepared: PreparedJob,
): Promise<WriteResult<BacktestView>> {
  const { accountId: account } = call.principal
  const end = await context.events.head()
  const order = digestOrder(context, prepared)
  const request = { account, operation: 'backtests.start', input: prepared.asked }
  const eventContext = buildEventContext(context, call, request)
  const { time: at, command } = eventContext
  const backtest_id = deriveId(idPrefixes.backtest, command, 'backtest')
  const data = { backtest_id, at, ...prepared.facts, end, order }
  const started: BacktestEvent = { type: 'BacktestStarted', data }
  const { value, ...written } = await executeAndWait(context, context.backtests, {
    stream: backtestStream(account),
    context: eventContext,
    decide: (backtests, nowMs) => {
      requireNoneRunning(backtests, 'backtest', nowMs)
      return [started]
    },
  })
  const [job] = evolveBacktests([], value.events[0] ?? started) as [BacktestState]
  if (!value.repeated) run(context, eventContext, { job, prepared })
  // as it was when it started, so that a repeat is answered in the same bytes
  return { ...written, value: toBacktestView(job, job.started_at) }
}

/**
 * Goes on behind the last report, over the same evaluations; one that is done stays as it is. Throws `not_found`, and
 * `conflict` while one runs, and where the report would depend on something else than when it was started.
 */
export async function resumeBacktest(
  context: Context,
  call: Call,
  { id, prepared }: { readonly id: string; readonly prepared: PreparedJob },
): Promise<WriteResult<BacktestView>> {
  const { accountId: account } = call.principal
  const order = digestOrder(context, prepared)
  const request = { account, operation: `backtests.resume ${id}`, input: prepared.asked }
  const eventContext = buildEventContext(context, call, request)
  const stream = backtestStream(account)
  const { value, ...written } = await executeAndWait(context, context.backtests, {
    stream,
    context: eventContext,
    decide: (backtests, at): readonly BacktestEvent[] => {
      const job = requireJob(backtests, id)
      if (job.order !== order) throw new Failure('conflict', differentOrder)
      if (job.outcome === 'DONE') return []
      requireNoneRunning(backtests, 'backtest', at)
      return [{ type: 'BacktestResumed', data: { backtest_id: id, at } }]
    },
  })
  const job = requireJob(await readStateAfter(context.backtests, stream, value), id)
  if (!value.repeated && value.events.length > 0) run(context, eventContext, { job, prepared })
  // as it was when it went on, so that a repeat is answered in the same bytes
  return { ...written, value: toBacktestView(job, job.reported_at) }
}

const differentOrder =
  'The draft, its conditions or lists are not those that the backtest was started with, or the flow, the rules or the classes of labels have been changed since: start a new one.'

/** Keyed, since conditions may name persons. */
function digestOrder({ keyring }: Pick<Context, 'keyring'>, { order }: PreparedJob): string {
  return keyring.digest('backtest', order)
}

/** What was judged stays reported. One that has ended stays as it is. Throws `not_found`. */
export async function cancelBacktest(
  context: WriteContext & BacktestStreams & AccountStreams,
  call: Call,
  id: string,
): Promise<WriteResult<BacktestView>> {
  await requireAuthoring(context, call)
  const kind = backtestsOf(context, call.principal.accountId)
  const cancelled = await cancelJob(context, call, { operation: 'backtests.cancel', id, kind })
  return { ...cancelled, value: toBacktestView(cancelled.value, context.clock.nowMs()) }
}

function run(
  context: Context,
  startedBy: EventContext,
  { job, prepared }: { readonly job: BacktestState; readonly prepared: PreparedJob },
): void {
  const kind = backtestsOf(context, startedBy.account)
  const parts = prepared.run(job, context.closing)
  context.background.run(() => runJob(context, { kind, job, startedBy, end: job.end, parts }))
}

function backtestsOf(
  { backtests }: BacktestStreams,
  account: string,
): JobsOfKind<BacktestState, BacktestEvent, BacktestPart> {
  return {
    streams: backtests,
    stream: backtestStream(account),
    add: (one, { scanned, after, ...other }) => ({
      ...one,
      ...addBacktestTotals(one, other),
      scanned: one.scanned + scanned,
      ...(after && { after }),
    }),
    advance: ({ id: backtest_id, changed: known }, part, at) => {
      const changed = part.changed.slice(0, changedMax - known.length)
      return { type: 'BacktestAdvanced', data: { backtest_id, at, ...part, changed } }
    },
    end: (backtest_id, end, at) => ({ type: 'BacktestEnded', data: { backtest_id, at, ...end } }),
  }
}
