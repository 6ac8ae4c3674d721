/** Replays all evaluations of an account as a job: starts it, runs it in slices, cancels it. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest, unavailable } from '../../domain/failure.ts'
import { deriveId, idPrefixes } from '../../domain/ids.ts'
import {
  addReplayTotals,
  emptyReplayTotals,
  evolveReplays,
  type ReplayEvent,
  type ReplayState,
  replayStream,
} from '../../events/audit/replay.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  computeReplayState,
  type ReplaySliceRequest,
  type ReplaySliceResult,
  type ReplayStreams,
  type ReplayView,
  requireReplay,
  toReplayView,
} from '../../state/audit/replayStreamType.ts'
import type { CommandContext, WriteContext } from '../handling/commandContext.ts'
import {
  buildEventContext,
  buildFollowUpContext,
  executeAndWait,
  executeCommand,
} from '../handling/executeCommand.ts'

export interface ReplayInput {
  /** Only evaluations of this flow. */
  readonly flowId?: string
  /** Only those evaluated from this time on, and before that one: milliseconds since the Unix epoch. */
  readonly fromMs?: number
  readonly toMs?: number
  /** Only those behind this position of the log; all unless given. */
  readonly after?: number
}

/** What running a replay takes. */
export interface ReplayContext
  extends WriteContext,
    ReplayStreams,
    Pick<CommandContext, 'background'> {
  /** Replays the next evaluations of a range: answered by the queries. */
  readonly replaySlice: (
    asked: ReplaySliceRequest,
    signal: AbortSignal,
  ) => Promise<ReplaySliceResult>
  /** Aborted when the process ends. */
  readonly closing: AbortSignal
}

/** How often a running replay is reported, and ends where it was cancelled on another instance. */
const reportMs = 5_000
/** How long a replay waits for the read models to have what it is to replay. */
const projectedMs = 30_000

/**
 * Replays what the log has now, in the background: one replay of an account at a time, on any instance. Throws
 * `conflict` while another one runs, and `invalid_request` for a position behind the end of the log.
 */
export async function startReplay(
  context: ReplayContext,
  call: Call,
  { flowId, fromMs, toMs, after = 0 }: ReplayInput,
): Promise<WriteResult<ReplayView>> {
  const { accountId: account } = call.principal
  const end = await context.events.head()
  if (after > end) {
    const message = `Must be a position of the log, which ends at ${end}.`
    throw invalidRequest([{ path: 'after', message }])
  }
  const input = { flowId, fromMs, toMs, after }
  const request = { account, operation: 'replays.start', input }
  const eventContext = buildEventContext(context, call, request)
  const started: ReplayEvent = {
    type: 'ReplayStarted',
    data: {
      replay_id: deriveId(idPrefixes.replay, eventContext.command, 'replay'),
      at: eventContext.time,
      after,
      end,
      ...(flowId !== undefined && { flow_id: flowId }),
      ...(fromMs !== undefined && { from_ms: fromMs }),
      ...(toMs !== undefined && { to_ms: toMs }),
    },
  }
  const { value, ...written } = await executeAndWait(context, context.replays, {
    stream: replayStream(account),
    context: eventContext,
    decide: (replays) => {
      const running = replays.find(
        (replay) => computeReplayState(replay, eventContext.time) === 'RUNNING',
      )
      if (!running) return [started]
      const message = `The replay ${running.replay_id} is running: wait for it, or cancel it.`
      throw new Failure('conflict', message)
    },
  })
  const [replay] = evolveReplays([], value.events[0] ?? started) as [ReplayState]
  if (!value.repeated) context.background.run(() => runReplay(context, eventContext, replay))
  // as it was when it started, so that a repeat is answered in the same bytes
  return { ...written, value: toReplayView(replay, replay.started_at) }
}

/** What was replayed stays reported. One that has ended stays as it is. Throws `not_found`. */
export async function cancelReplay(
  context: WriteContext & ReplayStreams,
  call: Call,
  id: string,
): Promise<WriteResult<ReplayView>> {
  const { accountId: account } = call.principal
  const request = { account, operation: `replays.cancel ${id}`, input: {} }
  const { value, ...written } = await executeAndWait(context, context.replays, {
    stream: replayStream(account),
    context: buildEventContext(context, call, request),
    decide: (replays, nowMs) =>
      requireReplay(replays, id).outcome === undefined
        ? [buildReplayEnded(id, { outcome: 'CANCELLED' }, nowMs)]
        : [],
  })
  return { ...written, value: toReplayView(requireReplay(value.state, id), context.clock.nowMs()) }
}

/** A replay that runs in this process. */
interface RunningReplay {
  readonly id: string
  readonly startedBy: EventContext
  /** What was replayed; of the mismatches those that are not reported yet. */
  done: ReplaySliceResult
}

/** Replays slice by slice until the end, a cancellation or the process ends. Throws what reading or writing throws. */
async function runReplay(
  context: ReplayContext,
  startedBy: EventContext,
  { replay_id: id, ...range }: ReplayState,
): Promise<void> {
  const { clock, closing, projections } = context
  const { account } = startedBy
  const done = { ...emptyReplayTotals, position: range.after }
  const running: RunningReplay = { id, startedBy, done }
  let reportedMs = clock.nowMs()
  try {
    if (!(await projections.waitFor(range.end, projectedMs))) {
      throw unavailable('The read models have not reached what is to be replayed; try again.', 5)
    }
    let read: Pick<ReplaySliceRequest, 'readAfter'> = {}
    while (running.done.position < range.end && !isEnded(context, running)) {
      const asked = { ...range, account, ...read }
      const { position: readAfter, ...replayed } = await context.replaySlice(asked, closing)
      read = { readAfter }
      const position = Math.max(range.after, readAfter)
      running.done = { ...addReplayTotals(running.done, replayed), position }
      if (clock.nowMs() - reportedMs < reportMs) continue
      if (!(await recordProgress(context, running))) return
      reportedMs = clock.nowMs()
    }
    await recordProgress(context, running, { outcome: 'DONE' })
  } catch (error) {
    const failed = { outcome: 'FAILED', reason: explainReplayFailure(error) } as const
    await recordProgress(context, running, closing.aborted ? { outcome: 'INTERRUPTED' } : failed)
    if (!closing.aborted) throw error
  }
}

/** Whether this instance knows that it was cancelled; otherwise its next report finds out. */
function isEnded({ replays }: ReplayStreams, { id, startedBy }: RunningReplay): boolean {
  const newest = replays.peek(replayStream(startedBy.account))?.state[0]
  return newest !== undefined && (newest.replay_id !== id || newest.outcome !== undefined)
}

/** What an auditor may be told of it. */
function explainReplayFailure(error: unknown): string {
  if (error instanceof Failure) return error.message
  return 'It could not go on for an unexpected error, which the log of the service names.'
}

/** Records what was replayed; answers whether the replay was still running. */
async function recordProgress(
  context: ReplayContext,
  running: RunningReplay,
  end?: End,
): Promise<boolean> {
  const { id, startedBy, done } = running
  const nowMs = context.clock.nowMs()
  const events: readonly ReplayEvent[] = [
    { type: 'ReplayAdvanced', data: { replay_id: id, at: nowMs, ...done } },
    ...(end ? [buildReplayEnded(id, end, nowMs)] : []),
  ]
  const { events: appended } = await executeCommand(context, context.replays, {
    stream: replayStream(startedBy.account),
    context: { ...buildFollowUpContext(context, startedBy), time: nowMs },
    // not when it was cancelled, or when another has begun since nothing was heard of it
    decide: ([newest]) => (newest?.replay_id === id && newest.outcome === undefined ? events : []),
  })
  running.done = { ...done, mismatches: [] }
  return appended.length > 0
}

type End = Pick<Extract<ReplayEvent, { type: 'ReplayEnded' }>['data'], 'outcome' | 'reason'>

function buildReplayEnded(id: string, end: End, nowMs: number): ReplayEvent {
  return { type: 'ReplayEnded', data: { replay_id: id, at: nowMs, ...end } }
}
