/** Declares the shared state of a runner, steps its projections and waits out store outages. */

import type { EventStore } from '../../../stores/eventStore.ts'
import type { Checkpoint } from '../../../stores/readStore.ts'
import { wordsOf } from '../attempt.ts'
import type { Alarm, ProjectionState } from '../projections.ts'
import { type OutageRetry, retryOutages } from '../retryOutages.ts'
import { openSerialQueue, type Turn } from '../serialQueue.ts'
import { advance, advanceTogether } from './advance.ts'
import type { Decode, EventBatch } from './eventBatch.ts'
import type { ProjectionInstance } from './projectionInstance.ts'
import { type Rest, restWhenBusy } from './restWhenBusy.ts'
import type { StartOptions } from './startInstances.ts'
import { statesAtRest, statesOf } from './states.ts'

export interface RuntimeOptions extends StartOptions {
  readonly eventStore: Pick<EventStore, 'readAll' | 'readStream' | 'follow' | 'head'>
  readonly decode: Decode
  readonly onProgress: (states: readonly ProjectionState[]) => void
  /** Milliseconds of a clock that is never put forward or back. */
  readonly elapsedMs: () => number
  readonly pace: Pace
}

export interface Pace {
  /** Waits after an outage: the first, and the longest. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
  /** Events at a time while a projection is brought up to the others. */
  readonly pageMax: number
  /** Rest between batches while many events come, so that one commit takes many; and when somebody waits for them. */
  readonly restMs: number
  readonly awaitedRestMs: number
  /** Between two looks for documents that have ended. */
  readonly endingsEveryMs: number
}

export interface Runtime extends RuntimeOptions {
  readonly rest: Rest
  /** Held while a batch is handled, so that nothing joins or retries in the middle of one. */
  readonly turn: Turn
  members: readonly ProjectionInstance[]
  /** Versions that caught up once and do not run any more. */
  resting: readonly Checkpoint[]
  /** The members that follow the log together: each is at `together` or beyond. */
  readonly group: Set<ProjectionInstance>
  together: number
  /** Joint commits that have failed one after the other, where each member could commit alone. */
  jointFailures: number
  /** Why it does not even start for now. */
  outage: string | undefined
}

/** A runtime before its start. */
export function newRuntime(options: RuntimeOptions): Runtime {
  return {
    ...options,
    rest: restWhenBusy(options.pace),
    turn: openSerialQueue(),
    members: [],
    resting: [],
    group: new Set(),
    together: 0,
    jointFailures: 0,
    outage: undefined,
  }
}

/** Publishes the state of every projection. */
export function publish(runtime: Runtime): void {
  const { members, resting, projections } = runtime
  runtime.onProgress(
    members.length > 0 ? statesOf(members, resting) : statesAtRest(projections, runtime.outage),
  )
}

/** Runs work for all projections: an outage is waited out and shown on each. Undefined when the runner was stopped first. */
export async function waitingOut<Value>(
  runtime: Runtime,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  const value = await retryOutages(work, outageRetry(runtime, runtime.members, {}))
  runtime.outage = undefined
  for (const member of runtime.members) member.outage = undefined
  return value
}

/** Runs work for one projection: an outage is waited out, any other error stops this projection only. */
export async function alone(
  runtime: Runtime,
  member: ProjectionInstance,
  work: () => Promise<void>,
): Promise<void> {
  const { name, version } = member.projection
  try {
    await retryOutages(work, outageRetry(runtime, [member], { projection: name }))
    member.outage = undefined
  } catch (error) {
    member.stopped = `projection ${name} version ${version} stopped: ${wordsOf(error)}`
    runtime.onAlarm({ kind: 'stopped', projection: name, message: member.stopped })
  }
}

/** Joint commits that fail one after the other though each member can commit alone, after which they are given up. */
const jointFailuresMax = 3

/** Moves the projections past the batch, each unless it has passed it already or stops: with one commit if possible. */
export async function stepMembers(
  runtime: Runtime,
  members: readonly ProjectionInstance[],
  batch: EventBatch,
): Promise<void> {
  const { readStore: store, onAlarm } = runtime
  if (runtime.jointFailures >= jointFailuresMax) return stepEach(runtime, members, batch)
  const going = members.filter(({ stopped }) => stopped === undefined)
  try {
    await advanceTogether(members, batch, { store, onAlarm })
  } catch (error) {
    // an outage is waited out, and what one of them cannot store leaves the others alone, when each meets it again by itself
    await stepEach(runtime, members, batch)
    if (going.every(({ stopped }) => stopped === undefined)) noteJointFailure(runtime, error)
    return
  }
  runtime.jointFailures = 0
  for (const member of going) if (member.stopped === undefined) member.outage = undefined
}

async function stepEach(
  runtime: Runtime,
  members: readonly ProjectionInstance[],
  batch: EventBatch,
): Promise<void> {
  for (const member of members) {
    if (member.stopped === undefined) await stepMember(runtime, member, batch)
  }
}

function noteJointFailure(runtime: Runtime, error: unknown): void {
  runtime.jointFailures += 1
  if (runtime.jointFailures < jointFailuresMax) return
  const message = `the projections commit one by one until the next start, since together they cannot: ${wordsOf(error)}`
  runtime.onAlarm({ kind: 'outage', message })
}

/** Moves one projection past the batch, unless it has passed it already. */
export function stepMember(
  runtime: Runtime,
  member: ProjectionInstance,
  batch: EventBatch,
): Promise<void> {
  const { readStore: store, onAlarm } = runtime
  return alone(runtime, member, () => advance(member, batch, { store, onAlarm }))
}

function outageRetry(
  runtime: Runtime,
  members: readonly ProjectionInstance[],
  whose: Pick<Alarm, 'projection'>,
): OutageRetry {
  return {
    signal: runtime.signal,
    backoffMs: runtime.pace.backoffMs,
    backoffMaxMs: runtime.pace.backoffMaxMs,
    onOutage: (message) => {
      runtime.outage = message
      for (const member of members) member.outage = message
      runtime.onAlarm({ kind: 'outage', message, ...whose })
      publish(runtime)
    },
  }
}
