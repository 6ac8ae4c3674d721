/** Replays all evaluations of an account as a job: starts it, runs it in slices, cancels it. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { deriveId, idPrefixes } from '../../domain/ids.ts'
import {
  addReplayTotals,
  evolveReplays,
  type ReplayEvent,
  type ReplayState,
  replayStream,
} from '../../events/audit/replay.ts'
import {
  type ReplaySliceRequest,
  type ReplaySliceResult,
  type ReplayStreams,
  type ReplayView,
  toReplayView,
} from '../../state/audit/replayStreamType.ts'
import { requireNoneRunning } from '../../state/folding/jobState.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'
import { cancelJob, type JobContext, type JobsOfKind, runJob } from '../handling/jobs.ts'

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
export interface ReplayContext extends JobContext, ReplayStreams {
  /** Replays the next evaluations of a range: answered by the queries. */
  readonly replaySlice: (
    asked: ReplaySliceRequest,
    signal: AbortSignal,
  ) => Promise<ReplaySliceResult>
}

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
  const kind = replaysOf(context, account)
  const { value, ...written } = await executeAndWait(context, context.replays, {
    stream: kind.stream,
    context: eventContext,
    decide: (replays, nowMs) => {
      requireNoneRunning(replays, 'replay', nowMs)
      return [started]
    },
  })
  const [job] = evolveReplays([], value.events[0] ?? started) as [ReplayState]
  if (!value.repeated) {
    const parts = replaySlices(context, account, job)
    const run = { kind, job, startedBy: eventContext, end: job.end, parts }
    context.background.run(() => runJob(context, run))
  }
  // as it was when it started, so that a repeat is answered in the same bytes
  return { ...written, value: toReplayView(job, job.started_at) }
}

/** What was replayed stays reported. One that has ended stays as it is. Throws `not_found`. */
export async function cancelReplay(
  context: WriteContext & ReplayStreams,
  call: Call,
  id: string,
): Promise<WriteResult<ReplayView>> {
  const kind = replaysOf(context, call.principal.accountId)
  const cancelled = await cancelJob(context, call, { operation: 'replays.cancel', id, kind })
  return { ...cancelled, value: toReplayView(cancelled.value, context.clock.nowMs()) }
}

function replaysOf(
  { replays }: ReplayStreams,
  account: string,
): JobsOfKind<ReplayState, ReplayEvent, ReplaySliceResult> {
  return {
    streams: replays,
    stream: replayStream(account),
    add: (one, other) => ({ ...addReplayTotals(one, other), position: other.position }),
    advance: (replay, { position, ...replayed }, at) => {
      const { mismatches: _, ...counts } = addReplayTotals(replay, replayed)
      const { mismatches } = replayed
      const data = { replay_id: replay.id, at, position, ...counts, mismatches }
      return { type: 'ReplayAdvanced', data }
    },
    end: (replay_id, end, at) => ({ type: 'ReplayEnded', data: { replay_id, at, ...end } }),
  }
}

/** What each of its slices gave. */
async function* replaySlices(
  { replaySlice, closing }: ReplayContext,
  account: string,
  { id: _, ...range }: ReplayState,
): AsyncGenerator<ReplaySliceResult, void, undefined> {
  let read: Pick<ReplaySliceRequest, 'readAfter'> = {}
  for (let position = range.after; position < range.end; ) {
    const slice = await replaySlice({ ...range, account, ...read }, closing)
    read = { readAfter: slice.position }
    position = Math.max(range.after, slice.position)
    yield { ...slice, position }
  }
}
