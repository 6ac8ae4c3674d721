/** Replays all evaluations of an account as a job: starts it, runs it in slices, cancels it. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest, requireExisting, unavailable } from '../../domain/failure.ts'
import { deriveId, idPrefixes } from '../../domain/ids.ts'
import {
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  addReplayTotals,
  emptyReplayTotals,
  evolveReplays,
  type ReplayEvent,
  type ReplayRange,
  type ReplayState,
  type ReplayTotals,
  replayOutcomes,
  replayStream,
} from '../../events/audit/replay.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { CommandContext, WriteContext } from '../handling/commandContext.ts'
import {
  buildEventContext,
  buildFollowUpContext,
  executeAndWait,
  executeCommand,
} from '../handling/executeCommand.ts'
import type { FoldedStreamCache } from '../handling/foldedStreamCache.ts'
import type { StreamType } from '../handling/streamType.ts'

export interface ReplayInput {
  /** Only evaluations of this flow. */
  readonly flowId?: string
  /** Only those evaluated from this time on, and before that one: milliseconds since the Unix epoch. */
  readonly fromMs?: number
  readonly toMs?: number
  /** Only those behind this position of the log; all unless given. */
  readonly after?: number
}

/** A position of the log. */
export const logPositionSchema = { type: 'string', pattern: '^[0-9]{1,15}$' } as const

const mismatchSchema = openObject('ReplayMismatch', {
  evaluation_id: text,
  position: logPositionSchema,
  reason: { type: 'string', description: 'What differs, or why it cannot be computed again.' },
})

/** A replay of all evaluations. */
export const replaySchema = openObject('ReplayOfAll', {
  id: text,
  state: {
    type: 'string',
    enum: ['RUNNING', ...replayOutcomes],
    description:
      '`INTERRUPTED`: its process ended, or nothing was heard of it for a minute. `FAILED`: the log, the keys or the read models could not be read.',
  },
  reason: optional({ type: 'string', description: 'Why it failed.' }),
  started_at: timeSchema,
  reported_at: {
    ...timeSchema,
    description: 'Of these counts; a running one reports every five seconds.',
  },
  flow_id: optional(text),
  from: optional(timeSchema),
  to: optional(timeSchema),
  after: { ...logPositionSchema, description: 'It began behind this position of the log.' },
  end: { ...logPositionSchema, description: 'Where the log ended when it began.' },
  position: {
    ...logPositionSchema,
    description: 'Everything up to here has been replayed: `after` of a replay that goes on.',
  },
  match: { ...countSchema, description: 'The same to the byte.' },
  mismatch: countSchema,
  evidence_erased: { ...countSchema, description: 'Nobody can compute them any more.' },
  mismatches: { type: 'array', items: mismatchSchema, description: 'The first hundred.' },
  evaluations_per_second: countSchema,
  seconds_left: optional({ ...countSchema, description: 'By its pace until now.' }),
})
export type ReplayView = TypeOf<typeof replaySchema>

export interface ReplayStreams {
  readonly replays: FoldedStreamCache<readonly ReplayState[], ReplayEvent>
}

export interface ReplaySliceRequest extends ReplayRange {
  readonly account: string
  /** `position` of the slice before; absent in the first. */
  readonly readAfter?: number
}

export interface ReplaySliceResult extends ReplayTotals {
  /** Everything up to here has been replayed: the position of an event. */
  readonly position: number
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
/** A replay that reports nothing for so long has ended with its process. */
const silentMaxMs = 60_000
/** How long a replay waits for the read models to have what it is to replay. */
const projectedMs = 30_000

const mismatchBytes = 500

export const replayStreamType: StreamType<readonly ReplayState[], ReplayEvent> = {
  initial: () => [],
  evolve: evolveReplays,
  estimateBytes: (replays) =>
    replays.reduce((sum, { mismatches }) => sum + mismatches.length, 0) * mismatchBytes,
}

/**
 * Replays what the log has now, in the background: one replay of an account at a time, on any instance. Throws `conflict` while
 * another one runs, and `invalid_request` for a position behind the end of the log.
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

/** The replay of this id. Throws `not_found`. */
export function requireReplay(replays: readonly ReplayState[], id: string): ReplayState {
  return requireExisting(replays.find(({ replay_id }) => replay_id === id))
}

function computeReplayState(
  { outcome, reported_at }: ReplayState,
  nowMs: number,
): ReplayView['state'] {
  return outcome ?? (nowMs - reported_at > silentMaxMs ? 'INTERRUPTED' : 'RUNNING')
}

/** The replay as it is answered. */
export function toReplayView(replay: ReplayState, nowMs: number): ReplayView {
  const { flow_id, from_ms, to_ms, after, end, position, mismatches, ...of } = replay
  const { match, mismatch, evidence_erased } = of
  const state = computeReplayState(replay, nowMs)
  const seconds = (of.reported_at - of.started_at) / 1_000
  const isEstimated = state === 'RUNNING' && position > after
  const left = Math.ceil((seconds * (end - position)) / (position - after))
  return {
    ...{ id: of.replay_id, state },
    ...(of.reason !== undefined && { reason: of.reason }),
    started_at: isoTime(of.started_at),
    reported_at: isoTime(of.reported_at),
    ...(flow_id !== undefined && { flow_id }),
    ...(from_ms !== undefined && { from: isoTime(from_ms) }),
    ...(to_ms !== undefined && { to: isoTime(to_ms) }),
    ...{ after: String(after), end: String(end), position: String(position) },
    ...{ match, mismatch, evidence_erased },
    mismatches: mismatches.map((one) => ({ ...one, position: String(one.position) })),
    evaluations_per_second:
      seconds > 0 ? Math.round((match + mismatch + evidence_erased) / seconds) : 0,
    ...(isEstimated && { seconds_left: left }),
  }
}

/** A replay that runs in this process. */
interface RunningReplay {
  readonly id: string
  readonly startedBy: EventContext
  /** What was replayed; of the mismatches those that are not reported yet. */
  done: ReplaySliceResult
}

/** Replays slice by slice until the end, a cancellation, or the end of the process. Throws what reading or writing throws. */
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
