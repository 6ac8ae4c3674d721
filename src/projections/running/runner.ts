/** Runs the projections: those that are up to date follow the log together, others catch up. */

import { setImmediate as nextTick } from 'node:timers/promises'
import { messageOf, unavailable } from '../../domain/failure.ts'
import { sleep } from '../../stores/backgroundLoop.ts'
import { charsOf, type RecordedEvent } from '../../stores/eventStore.ts'
import { backOff } from '../../stores/retry.ts'
import { createBatchDelay } from './batchDelay.ts'
import {
  commitBatch,
  publishStates,
  type RunnerPace,
  type Runtime,
  type RuntimeOptions,
  retryWork,
} from './commitBatch.ts'
import { deleteExpired, type SweepMark, sweepTombstones } from './deleteExpired.ts'
import { createEventBatch } from './foldBatch.ts'
import { type ProjectionInstance, startInstances, toCheckpoint } from './projectionInstances.ts'
import {
  initialStates,
  type ProjectionRun,
  type RetryResult,
  reportedParkedMax,
} from './projectionState.ts'
import { retryParked } from './retryParked.ts'

export interface RunnerOptions extends Omit<RuntimeOptions, 'pace' | 'elapsedMs' | 'signal'> {
  readonly pace?: Partial<RunnerPace>
  readonly elapsedMs?: RuntimeOptions['elapsedMs']
}

const usualPace: RunnerPace = {
  backoffMs: 50,
  backoffMaxMs: 5_000,
  pageMax: 1_000,
  delayMs: 200,
  awaitedDelayMs: 5,
  expiriesEveryMs: 60_000,
}

/**
 * Starts the projections of these stores without waiting for them: their states are shown to `onProgress` from when
 * they have read their checkpoints. No function of the result throws for an outage.
 */
export function startRunner(options: RunnerOptions): ProjectionRun {
  const stop = new AbortController()
  const pace = { ...usualPace, ...options.pace }
  const runtime: Runtime = {
    elapsedMs: () => performance.now(),
    ...options,
    pace,
    signal: stop.signal,
    batchDelay: createBatchDelay(pace),
    inQueue: createQueue(),
    instances: [],
    retired: [],
    group: new Set(),
    groupPosition: 0,
    outage: undefined,
  }
  const done = runProjections(runtime).catch((error: unknown) => {
    const message = `the projections cannot start: ${messageOf(error)}`
    options.onProgress(initialStates(options.projections, message))
    options.onAlarm({ kind: 'stopped', message })
  })
  return {
    shortenDelay: runtime.batchDelay.shorten,
    retryParked: (projection) => runtime.inQueue(() => retryAllParked(runtime, projection)),
    close: async () => {
      stop.abort()
      await done
    },
  }
}

function createQueue(): Runtime['inQueue'] {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work, work)
    last = done.catch(() => undefined)
    return done
  }
}

async function runProjections(runtime: Runtime): Promise<void> {
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
  const backoff = { ...pace, signal, failures: 0 }
  let mark: SweepMark | undefined
  while (!signal.aborted) {
    try {
      for await (const events of eventStore.follow(runtime.groupPosition, signal)) {
        await runtime.inQueue(() => handleBatch(runtime, events))
        backoff.failures = 0
        if (signal.aborted) break
        mark = await sweepTombstones(runtime, mark)
        const size = { events: events.length, chars: charsOf(events) }
        await batchDelay.after(size, runtime.elapsedMs(), signal)
      }
    } catch (error) {
      noteOutage(runtime, messageOf(error))
    }
    await backOff(backoff)
    if (!signal.aborted) await retryWork(runtime, eventStore.head)
    publishStates(runtime)
  }
}

async function handleBatch(runtime: Runtime, delivered: readonly RecordedEvent[]): Promise<void> {
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

/** Runs until the projection has joined the group or has stopped, or the runner is stopped. */
async function catchUp(runtime: Runtime, instance: ProjectionInstance): Promise<void> {
  await readToGroup(runtime, instance)
  // outside the queue, in which the group would wait for it
  const before = await retryWork(runtime, () => runtime.eventStore.head())
  if (isGoingOn(runtime, instance)) await indexInTime(runtime, instance, before)
  await readToGroup(runtime, instance)
  // between two batches of the group, so that it misses none: at most the last batch is left to read
  await runtime.inQueue(async () => {
    const head = await retryWork(runtime, () => runtime.eventStore.head())
    await readToGroup(runtime, instance)
    if (!isGoingOn(runtime, instance) || head === undefined) return
    runtime.group.add(instance)
    await markIfCaughtUp(runtime, instance, head)
  })
}

async function readToGroup(runtime: Runtime, instance: ProjectionInstance): Promise<void> {
  const { eventStore, pace, decode, signal } = runtime
  while (isGoingOn(runtime, instance) && instance.position < runtime.groupPosition) {
    const page = { after: instance.position, limit: pace.pageMax }
    const events = await retryWork(runtime, () => eventStore.readAll(page))
    if (events?.length === 0) await sleep(pace.backoffMs, signal)
    if (events) await commitBatch(runtime, [instance], createEventBatch(events, decode))
    publishStates(runtime)
    // other work of this thread comes first
    await nextTick()
  }
}

function isGoingOn({ signal }: Runtime, { stopReason }: ProjectionInstance): boolean {
  return !signal.aborted && stopReason === undefined
}

/** Whether the projection still has to be compared with the head of the log. */
function isBehind(instance: ProjectionInstance): boolean {
  return !instance.isLive && instance.stopReason === undefined
}

/** Marks the projection as caught up when it has passed `head`, a head of the log read before its last batch. */
async function markIfCaughtUp(
  runtime: Runtime,
  instance: ProjectionInstance,
  head: number,
): Promise<void> {
  if (!isBehind(instance)) return
  await indexInTime(runtime, instance, head)
  if (!isBehind(instance) || !instance.indexed || instance.position < head) return
  instance.isLive = true
  if (!instance.ready) {
    const checkpoint = { ...toCheckpoint(instance), ready: true }
    const activate = async (): Promise<void> => {
      await runtime.readStore.commit([{ changes: [], checkpoint }])
      instance.ready = true
    }
    await retryWork(runtime, activate, instance)
    if (instance.ready) await dropSuperseded(runtime, instance)
  }
  publishStates(runtime)
}

/**
 * A position. An index of so many documents takes about a second and 50 MiB, in which nothing else is written; from
 * there on it is maintained. Where positions are not dense it is reached sooner.
 */
const indexedFrom = 500_000

/**
 * Makes the indexes of the projection's collections once it is less than a page before `head`, or so far that they
 * would take too long later. Once the runner is stopped no index is begun any more; the next start makes them.
 */
async function indexInTime(
  runtime: Runtime,
  instance: ProjectionInstance,
  head = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { readStore, signal, pace } = runtime
  const from = Math.min(indexedFrom, head - pace.pageMax)
  if (instance.indexed || instance.position < from) return
  const { collections } = instance.projection
  const complete = () => readStore.completeIndexes(collections, signal)
  instance.indexed = (await retryWork(runtime, complete, instance)) ?? false
}

/** Drops the older versions but the newest of them: the program may still be rolled back to it. */
async function dropSuperseded(runtime: Runtime, instance: ProjectionInstance): Promise<void> {
  const { name, version } = instance.projection
  const older = runtime.retired
    .filter((one) => one.projection === name && one.version < version)
    .sort((a, b) => b.version - a.version)
  for (const one of older.slice(1)) {
    runtime.retired = runtime.retired.filter((other) => other !== one)
    publishStates(runtime)
    // a reader that has just read the active version still finds its collections
    await nextTick()
    await retryWork(runtime, () => runtime.readStore.drop(one))
  }
}
