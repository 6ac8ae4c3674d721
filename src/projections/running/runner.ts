/** Runs the projections: those that are up to date follow the log together, others catch up. */

import { messageOf, unavailable } from '../../domain/failure.ts'
import { sleep } from '../../stores/backgroundLoop.ts'
import { charsOf, type RecordedEvent } from '../../stores/eventStore.ts'
import { catchUp, isBehind, markIfCaughtUp } from './catchUp.ts'
import { deleteExpired, type SweepMark, sweepTombstones } from './cleanUp.ts'
import {
  commitBatch,
  newRuntime,
  publishStates,
  type RunnerPace,
  type Runtime,
  type RuntimeOptions,
  retryWork,
} from './commitBatch.ts'
import { createEventBatch } from './foldBatch.ts'
import { startInstances } from './projectionInstances.ts'
import {
  type Alarm,
  initialStates,
  type ProjectionState,
  type Projections,
  type RetryResult,
  reportedParkedMax,
} from './projectionState.ts'
import { retryParked } from './retryParked.ts'
import { trackProgress } from './trackProgress.ts'

export interface RunnerOptions
  extends Pick<
    RuntimeOptions,
    'eventStore' | 'readStore' | 'projections' | 'decode' | 'onOtherLog'
  > {
  readonly onAlarm?: (alarm: Alarm) => void
  readonly onProgress?: (states: readonly ProjectionState[]) => void
  readonly pace?: Partial<RunnerPace>
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs?: () => number
}

const usualPace: RunnerPace = {
  backoffMs: 50,
  backoffMaxMs: 5_000,
  pageMax: 1_000,
  delayMs: 60,
  awaitedDelayMs: 5,
  expiriesEveryMs: 60_000,
}

/**
 * Starts the projections of these stores without waiting for them: until they have read their checkpoints they show as
 * catching up at the start of the log. No function of the result throws for an outage.
 */
export function startRunner(options: RunnerOptions): Projections {
  const stop = new AbortController()
  const progress = trackProgress(initialStates(options.projections), () =>
    runtime.batchDelay.shorten(),
  )
  const onProgress = (states: readonly ProjectionState[]): void => {
    progress.update(states)
    options.onProgress?.(states)
  }
  const runtime = newRuntime({
    ...options,
    onAlarm: options.onAlarm ?? (() => undefined),
    onProgress,
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
    pace: { ...usualPace, ...options.pace },
    signal: stop.signal,
  })
  const done = run(runtime).catch((error: unknown) => {
    const message = `the projections cannot start: ${messageOf(error)}`
    onProgress(initialStates(options.projections, message))
    runtime.onAlarm({ kind: 'stopped', message })
  })
  return {
    ...progress,
    shortenDelay: () => runtime.batchDelay.shorten(),
    retryParked: (projection) => runtime.inQueue(() => retryAllParked(runtime, projection)),
    close: async () => {
      stop.abort()
      await done
      progress.close()
    },
  }
}

async function run(runtime: Runtime): Promise<void> {
  const started = await retryWork(runtime, () => startInstances(runtime))
  if (!started) return
  Object.assign(runtime, started)
  const moving = started.instances.filter(({ stopReason }) => stopReason === undefined)
  const foremost = Math.max(0, ...moving.map(({ position }) => position))
  runtime.groupPosition = foremost
  for (const one of moving) if (one.position === foremost) runtime.group.add(one)
  publishStates(runtime)
  const head = await retryWork(runtime, () => runtime.eventStore.head())
  if (head !== undefined) for (const one of runtime.group) await markIfCaughtUp(runtime, one, head)
  const behind = moving.filter((one) => !runtime.group.has(one))
  await Promise.all([
    followLog(runtime),
    deleteExpired(runtime),
    ...behind.map((one) => catchUp(runtime, one)),
  ])
}

/** Follows the log for the group until the runner is stopped, and resubscribes after the last event handled. */
async function followLog(runtime: Runtime): Promise<void> {
  const { signal, pace, eventStore, batchDelay } = runtime
  let waitMs = pace.backoffMs
  let mark: SweepMark | undefined
  while (!signal.aborted) {
    try {
      for await (const events of eventStore.follow(runtime.groupPosition, signal)) {
        await runtime.inQueue(() => handle(runtime, events))
        waitMs = pace.backoffMs
        if (signal.aborted) break
        mark = await sweepTombstones(runtime, mark)
        const size = { events: events.length, chars: charsOf(events) }
        await batchDelay.after(size, runtime.elapsedMs(), signal)
      }
    } catch (error) {
      noteOutage(runtime, messageOf(error))
    }
    await sleep(waitMs, signal)
    waitMs = Math.min(pace.backoffMaxMs, waitMs * 2)
    if (!signal.aborted) await retryWork(runtime, eventStore.head)
    publishStates(runtime)
  }
}

async function handle(runtime: Runtime, delivered: readonly RecordedEvent[]): Promise<void> {
  // a new subscription may begin with events that were handled before
  const events = delivered.filter(({ position }) => position > runtime.groupPosition)
  const last = events.at(-1)
  if (!last) return
  const { eventStore, group } = runtime
  const instances = [...group]
  // read before the batch, so that an instance that passes it has caught up
  const head = instances.some(isBehind)
    ? await retryWork(runtime, () => eventStore.head())
    : undefined
  await commitBatch(runtime, instances, createEventBatch(events, runtime.decode))
  for (const one of instances) if (one.stopReason !== undefined) group.delete(one)
  // an instance that the stop of the runner has kept from the batch must be given it again
  if ([...group].every(({ position }) => position >= last.position)) {
    runtime.groupPosition = last.position
  }
  publishStates(runtime)
  if (head === undefined) return
  for (const one of group) await markIfCaughtUp(runtime, one, head)
}

function noteOutage(runtime: Runtime, reason: string): void {
  if (runtime.signal.aborted) return
  for (const instance of runtime.group) instance.outage = reason
  runtime.onAlarm({ kind: 'outage', message: `the log cannot be followed: ${reason}` })
  publishStates(runtime)
}

/** Sums over the versions of the projection. */
async function retryAllParked(runtime: Runtime, projection: string): Promise<RetryResult> {
  if (runtime.instances.length === 0) {
    throw unavailable('The projections have not started yet; try again.')
  }
  let sum: RetryResult = { applied: 0, parked: 0, left: [] }
  for (const instance of runtime.instances) {
    if (instance.projection.name !== projection) continue
    const { applied, parked, left } = await retryParked(runtime, instance)
    sum = {
      applied: sum.applied + applied,
      parked: sum.parked + parked,
      left: [...sum.left, ...left].slice(0, reportedParkedMax),
    }
  }
  publishStates(runtime)
  return sum
}
