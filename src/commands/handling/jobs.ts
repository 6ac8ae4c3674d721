/** Runs jobs: long work in the background, reported to the log, which can be cancelled. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, unavailable } from '../../domain/failure.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { JobEnd, JobRecord } from '../../events/recording/jobRecord.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import { requireJob } from '../../state/folding/jobState.ts'
import type { CommandContext, WriteContext } from './commandContext.ts'
import {
  buildEventContext,
  buildFollowUpContext,
  executeAndWait,
  executeCommand,
} from './executeCommand.ts'

/** What running a job takes. */
export interface JobContext extends WriteContext, Pick<CommandContext, 'background'> {
  /** Aborted when the process ends. */
  readonly closing: AbortSignal
}

/** The jobs of one kind and account; `Part` is what came of a slice of one. */
export interface JobsOfKind<Job extends JobRecord, Event extends DomainEvent, Part> {
  readonly streams: FoldedStreamCache<readonly Job[], Event>
  readonly stream: string
  /** Both together; the second came later. */
  readonly add: (one: Part, other: Part) => Part
  /** Reports what came since the last report of the job. */
  readonly advance: (job: Job, part: Part, nowMs: number) => Event
  readonly end: (id: string, end: JobEnd, nowMs: number) => Event
}

/** How often a running job is reported, and ends where it was cancelled on another instance. */
const reportMs = 5_000
/** How long a job waits for the read models to have what it reads. */
const projectedMs = 30_000

/** What was done stays reported. A job that has ended stays as it is. Throws `not_found`. */
export async function cancelJob<Job extends JobRecord, Event extends DomainEvent>(
  context: WriteContext,
  call: Call,
  asked: {
    readonly operation: string
    readonly id: string
    readonly kind: Pick<JobsOfKind<Job, Event, never>, 'streams' | 'stream' | 'end'>
  },
): Promise<WriteResult<Job>> {
  const { id, kind } = asked
  const { accountId: account } = call.principal
  const request = { account, operation: `${asked.operation} ${id}`, input: {} }
  const { value, ...written } = await executeAndWait(context, kind.streams, {
    stream: kind.stream,
    context: buildEventContext(context, call, request),
    decide: (jobs, nowMs) =>
      requireJob(jobs, id).outcome === undefined
        ? [kind.end(id, { outcome: 'CANCELLED' }, nowMs)]
        : [],
  })
  return { ...written, value: requireJob(value.state, id) }
}

/** A job to run in this process. */
export interface JobRun<Job extends JobRecord, Event extends DomainEvent, Part> {
  readonly kind: JobsOfKind<Job, Event, Part>
  readonly job: Job
  /** The context of the command that began it. */
  readonly startedBy: EventContext
  /** The position of the log that the read models must have reached. */
  readonly end: number
  /** What comes of slice after slice, read until the job ends. */
  readonly parts: AsyncIterable<Part>
}

/** Runs it until its last part, a cancellation or the process ends. Throws what reading or writing throws. */
export async function runJob<Job extends JobRecord, Event extends DomainEvent, Part>(
  context: JobContext,
  run: JobRun<Job, Event, Part>,
): Promise<void> {
  const { closing, projections } = context
  const unreported: Unreported<Part> = { part: undefined }
  try {
    if (!(await projections.waitFor(run.end, projectedMs))) {
      throw unavailable('The read models have not reached what the job reads; try again.', 5)
    }
    await takeParts(context, run, unreported)
  } catch (error) {
    const failed = { outcome: 'FAILED', reason: explainFailure(error) } as const
    const end = closing.aborted ? ({ outcome: 'INTERRUPTED' } as const) : failed
    await report(context, run, { unreported, end })
    if (!closing.aborted) throw error
  }
}

/** What was done since the last report. */
interface Unreported<Part> {
  part: Part | undefined
}

async function takeParts<Job extends JobRecord, Event extends DomainEvent, Part>(
  context: JobContext,
  run: JobRun<Job, Event, Part>,
  unreported: Unreported<Part>,
): Promise<void> {
  const { clock, closing } = context
  let reportedMs = clock.nowMs()
  for await (const part of run.parts) {
    const { part: before } = unreported
    unreported.part = before === undefined ? part : run.kind.add(before, part)
    // cancelled here; what another instance has cancelled the next report finds out
    const [newest = run.job] = run.kind.streams.peek(run.kind.stream)?.state ?? []
    if (!isSameRun(newest, run.job)) return
    // a slice that is asked for once the signal is aborted is not given up by it
    closing.throwIfAborted()
    if (clock.nowMs() - reportedMs < reportMs) continue
    if (!(await report(context, run, { unreported }))) return
    reportedMs = clock.nowMs()
  }
  await report(context, run, { unreported, end: { outcome: 'DONE' } })
}

/** Whether the job begun last is this one, still runs, and was not begun again by another process. */
function isSameRun(newest: JobRecord, { id, runs }: JobRecord): boolean {
  return newest.id === id && newest.runs === runs && newest.outcome === undefined
}

/** Records what was done; answers whether the job was still running. */
async function report<Job extends JobRecord, Event extends DomainEvent, Part>(
  context: JobContext,
  { kind, job, startedBy }: JobRun<Job, Event, Part>,
  { unreported, end }: { readonly unreported: Unreported<Part>; readonly end?: JobEnd },
): Promise<boolean> {
  const { part } = unreported
  // what a report has that fails may be on record: nothing is reported twice
  unreported.part = undefined
  const nowMs = context.clock.nowMs()
  const { events } = await executeCommand(context, kind.streams, {
    stream: kind.stream,
    context: { ...buildFollowUpContext(context, startedBy), time: nowMs },
    decide: ([newest]) => {
      if (!newest || !isSameRun(newest, job)) return []
      const advanced = part === undefined ? [] : [kind.advance(newest, part, nowMs)]
      return end ? [...advanced, kind.end(job.id, end, nowMs)] : advanced
    },
  })
  return events.length > 0
}

/** What may be told of it. */
function explainFailure(error: unknown): string {
  if (error instanceof Failure) return error.message
  return 'It could not go on for an unexpected error, which the log of the service names.'
}
