/** Declares the runner's runtime; commits batches: retries outages, parks events or stops. */

import { messageOf } from '../../domain/failure.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { Checkpoint, Commit } from '../../stores/readStore.ts'
import type { BatchDelay } from './batchDelay.ts'
import { type DecodeEvent, type EventBatch, foldBatch } from './foldBatch.ts'
import { addParkedEvents, createParkChange, type ParkedEvent, parkedMax } from './parkedEvents.ts'
import {
  type ProjectionInstance,
  type StartOptions,
  toCheckpoint,
  toProjectionStates,
} from './projectionInstances.ts'
import { initialStates, type ProjectionState } from './projectionState.ts'
import { retryOutages } from './retryOutages.ts'

export interface RuntimeOptions extends StartOptions {
  readonly eventStore: Pick<EventStore, 'readAll' | 'readStream' | 'follow' | 'head'>
  readonly decode: DecodeEvent
  readonly onProgress: (states: readonly ProjectionState[]) => void
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number
  readonly pace: RunnerPace
  /** Aborted when the runner is stopped; long work is then left to the next start. */
  readonly signal: AbortSignal
}

export interface RunnerPace {
  /** Pauses after an outage: the first, and the longest. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
  /** Events at a time while a projection catches up with the others. */
  readonly pageMax: number
  /** Rest between batches under load, so that one commit covers many events; and when a caller waits for them. */
  readonly delayMs: number
  readonly awaitedDelayMs: number
  /** Between two searches for documents that have ended. */
  readonly expiriesEveryMs: number
}

export interface Runtime extends RuntimeOptions {
  readonly batchDelay: BatchDelay
  /** Runs work after all work given before, so that nothing joins or retries in the middle of a batch. */
  readonly inQueue: <Value>(work: () => Promise<Value>) => Promise<Value>
  instances: readonly ProjectionInstance[]
  /** Versions that caught up once and no longer run. */
  retired: readonly Checkpoint[]
  /** The instances that follow the log together: each is at `groupPosition` or beyond. */
  readonly group: Set<ProjectionInstance>
  groupPosition: number
  /** Why it cannot even start for now. */
  outage: string | undefined
}

/** Publishes the state of every projection. */
export function publishStates(runtime: Runtime): void {
  const { instances, retired, projections } = runtime
  runtime.onProgress(
    instances.length > 0
      ? toProjectionStates(instances, retired)
      : initialStates(projections, runtime.outage),
  )
}

/**
 * Runs work for one projection, or for all: an outage is waited out and shown on each. Any other error stops the one
 * projection, and is thrown where it is for all. Undefined when it was stopped, or the runner was.
 */
export async function retryWork<Value>(
  runtime: Runtime,
  work: () => Promise<Value>,
  only?: ProjectionInstance,
): Promise<Value | undefined> {
  const { signal, pace, onAlarm } = runtime
  const show = (outage: string | undefined): void => {
    runtime.outage = outage
    for (const instance of only ? [only] : runtime.instances) instance.outage = outage
  }
  const onOutage = (message: string): void => {
    show(message)
    onAlarm({ kind: 'outage', message, ...(only && { projection: only.projection.name }) })
    publishStates(runtime)
  }
  try {
    const value = await retryOutages(work, { ...pace, signal, onOutage })
    show(undefined)
    return value
  } catch (error) {
    if (!only) throw error
    const { name, version } = only.projection
    stopInstance(
      runtime,
      only,
      `projection ${name} version ${version} stopped: ${messageOf(error)}`,
    )
    return undefined
  }
}

function stopInstance({ onAlarm }: Runtime, instance: ProjectionInstance, message: string): void {
  instance.stopReason = message
  onAlarm({ kind: 'stopped', projection: instance.projection.name, message })
}

/**
 * Moves the instances past the batch, each unless it has passed it already or has stopped: with one commit, and one by
 * one when that fails, so that an outage is waited out and documents that cannot be stored stop their own projection
 * only.
 */
export async function commitBatch(
  runtime: Runtime,
  instances: readonly ProjectionInstance[],
  batch: EventBatch,
): Promise<void> {
  const going = instances.filter(({ stopReason }) => stopReason === undefined)
  try {
    await advanceInstances(runtime, going, batch)
    for (const instance of going) instance.outage = undefined
  } catch {
    for (const one of going) {
      if (one.stopReason !== undefined) continue
      await retryWork(runtime, () => advanceInstances(runtime, [one], batch), one)
    }
  }
}

/**
 * A poison event is parked when its projection is ready; otherwise, or when too many are parked, the projection stops
 * at its position. Throws what the store throws, and has then moved no instance: repeating it is safe, since stored
 * documents are guarded by positions.
 */
async function advanceInstances(
  runtime: Runtime,
  instances: readonly ProjectionInstance[],
  batch: EventBatch,
): Promise<void> {
  const steps: Step[] = []
  for (const instance of instances) {
    const step = await foldStep(runtime, instance, batch)
    if (step) steps.push(step)
  }
  if (steps.length === 0) return
  await runtime.readStore.commit(steps)
  for (const step of steps) finishStep(runtime, step)
}

/** An instance's commit of a batch. */
interface Step extends Commit {
  readonly instance: ProjectionInstance
  readonly parked: readonly ParkedEvent[]
  /** Keys of the recurring documents written. */
  readonly written: readonly string[]
}

/** Undefined when the batch has nothing new for the instance, or it has stopped because of it. */
async function foldStep(
  runtime: Runtime,
  instance: ProjectionInstance,
  batch: EventBatch,
): Promise<Step | undefined> {
  const last = batch.events.at(-1)
  if (!last || last.position <= instance.position) return undefined
  const { changes, parked, written } = await foldBatch(instance, batch, runtime.readStore)
  const refusal = findParkingRefusal(instance, parked)
  if (refusal !== undefined) {
    stopInstance(runtime, instance, refusal)
    return undefined
  }
  const { position, stream, revision, id } = last
  const checkpoint = toCheckpoint({ ...instance, position, witness: { stream, revision, id } })
  const parks = parked.map((event) => createParkChange(instance.parkedCollection, event))
  return { changes: [...changes, ...parks], checkpoint, instance, parked, written }
}

/** Why the events must not be parked. */
function findParkingRefusal(
  { projection: { name, version }, parked: { eventCount: count }, ready }: ProjectionInstance,
  parked: readonly ParkedEvent[],
): string | undefined {
  if (parked.length === 0) return undefined
  if (count + parked.length > parkedMax) {
    return `projection ${name} version ${version} stopped: more than ${parkedMax} events are parked`
  }
  if (ready) return undefined
  const first = parked.reduce((a, b) => (a.position <= b.position ? a : b))
  return `projection ${name} version ${version} cannot be built: event ${first.type} at position ${first.position} of stream ${first.stream}: ${first.error}`
}

function finishStep({ onAlarm }: Runtime, { instance, checkpoint, parked, written }: Step): void {
  instance.position = checkpoint.position
  instance.witness = checkpoint.witness
  instance.parked = addParkedEvents(instance.parked, parked)
  for (const key of written) instance.written.set(key, true)
  for (const { type, position, stream, sequence, error } of parked) {
    if (error === undefined) continue
    const message = `event ${type} at position ${position} of stream ${stream} is parked with what follows it in ${sequence}: ${error}`
    onAlarm({ kind: 'parked', projection: instance.projection.name, message })
  }
}
