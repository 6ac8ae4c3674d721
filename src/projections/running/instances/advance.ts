/** Folds a batch of events, then commits its documents and checkpoints, documents first. */

import type { Commit, ReadStore } from '../../../stores/readStore.ts'
import { type ParkedEvent, parkedChange, parkedMax, withParked } from '../parking/parking.ts'
import type { Alarm } from '../projections.ts'
import type { EventBatch } from './eventBatch.ts'
import { foldBatch } from './foldBatch.ts'
import { checkpointOf, type ProjectionInstance } from './projectionInstance.ts'

export interface Advancing<Writes extends 'commit' | 'commitTogether'> {
  readonly store: Pick<ReadStore, 'load' | Writes>
  readonly onAlarm: (alarm: Alarm) => void
}

/**
 * Moves the projection past the batch. A poison event is parked when the projection is live; otherwise, or when too many are parked,
 * the projection stops at its position with the reason in `stopped`. Throws what the store throws, and has then not changed the
 * projection: repeating the step is safe, since stored documents are guarded by positions.
 */
export async function advance(
  member: ProjectionInstance,
  batch: EventBatch,
  { store, onAlarm }: Advancing<'commit'>,
): Promise<void> {
  const step = await stepOf(member, batch, { store, onAlarm })
  if (!step) return
  await store.commit(step.commit.changes, step.commit.checkpoint)
  step.done()
}

/** Moves all of them past the batch with one commit. When it throws, those that have not stopped are where they were. */
export async function advanceTogether(
  members: readonly ProjectionInstance[],
  batch: EventBatch,
  { store, onAlarm }: Advancing<'commitTogether'>,
): Promise<void> {
  const steps: Step[] = []
  for (const member of members) {
    const step = await stepOf(member, batch, { store, onAlarm })
    if (step) steps.push(step)
  }
  if (steps.length === 0) return
  await store.commitTogether(steps.map(({ commit }) => commit))
  for (const { done } of steps) done()
}

interface Step {
  readonly commit: Commit
  /** Moves the member, once it is committed. */
  readonly done: () => void
}

/** What is to be committed; undefined when the batch has nothing for the member, or it has stopped because of it. */
async function stepOf(
  member: ProjectionInstance,
  batch: EventBatch,
  { store, onAlarm }: Pick<Advancing<never>, 'store' | 'onAlarm'>,
): Promise<Step | undefined> {
  const last = batch.events.at(-1)
  if (!last || last.position <= member.position) return undefined
  const { changes, parked, written } = await foldBatch(member, batch, store)
  const refusal = parked.length > 0 ? refusalOf(member, parked) : undefined
  if (refusal !== undefined) {
    member.stopped = refusal
    onAlarm({ kind: 'stopped', projection: member.projection.name, message: refusal })
    return undefined
  }
  const { position, stream, revision, id } = last
  const moved = { ...member, position, witness: { stream, revision, id } }
  const parks = parked.map((event) => parkedChange(member.parkedIn, event))
  return {
    commit: { changes: [...changes, ...parks], checkpoint: checkpointOf(moved) },
    done: () => {
      member.position = moved.position
      member.witness = moved.witness
      member.parked = withParked(member.parked, parked)
      for (const key of written) member.written.set(key, true)
      for (const event of parked) if (event.error !== undefined) onAlarm(parkedAlarm(member, event))
    },
  }
}

function refusalOf(member: ProjectionInstance, parked: readonly ParkedEvent[]): string | undefined {
  const { name, version } = member.projection
  if (member.parked.count + parked.length > parkedMax) {
    return `projection ${name} version ${version} stopped: more than ${parkedMax} events are parked`
  }
  if (member.ready) return undefined
  const first = parked.reduce((a, b) => (a.position <= b.position ? a : b))
  return `projection ${name} version ${version} cannot be built: event ${first.type} at position ${first.position} of stream ${first.stream}: ${first.error}`
}

function parkedAlarm(member: ProjectionInstance, event: ParkedEvent): Alarm {
  const { type, position, stream, sequence, error } = event
  return {
    kind: 'parked',
    projection: member.projection.name,
    message: `event ${type} at position ${position} of stream ${stream} is parked with what follows it in ${sequence}: ${error}`,
  }
}
