/** One step of one projection: the batch folded, its documents and then its checkpoint committed. */

import type { ReadStore } from '../../stores/readStore.ts'
import type { EventBatch } from './eventBatch.ts'
import { foldBatch } from './foldBatch.ts'
import { checkpointOf, type Member } from './member.ts'
import { type ParkedEvent, parkedChange, parkedMax, withParked } from './parking.ts'
import type { Alarm } from './projections.ts'

/**
 * Moves the member past the batch. A poison event is parked when the member is live; otherwise, or when too many wait already,
 * the member stops where it is and says why in `stopped`. Throws what the store throws, and has then changed nothing in the
 * member: the same step again is right, since what was stored is guarded by positions.
 */
export async function advance(
  member: Member,
  batch: EventBatch,
  {
    store,
    onAlarm,
  }: {
    readonly store: Pick<ReadStore, 'load' | 'commit'>
    readonly onAlarm: (alarm: Alarm) => void
  },
): Promise<void> {
  const last = batch.events.at(-1)
  if (!last || last.position <= member.position) return
  const { changes, parked, written } = await foldBatch(member, batch, store)
  const refusal = parked.length > 0 ? refusalOf(member, parked) : undefined
  if (refusal !== undefined) {
    member.stopped = refusal
    onAlarm({ kind: 'stopped', projection: member.projection.name, message: refusal })
    return
  }
  const { position, stream, revision, id } = last
  const moved = { ...member, position, witness: { stream, revision, id } }
  const parks = parked.map((event) => parkedChange(member.parkedIn, event))
  await store.commit([...changes, ...parks], checkpointOf(moved))
  member.position = moved.position
  member.witness = moved.witness
  member.parked = withParked(member.parked, parked)
  for (const key of written) member.written.add(key)
  for (const event of parked) if (event.error !== undefined) onAlarm(parkedAlarm(member, event))
}

function refusalOf(member: Member, parked: readonly ParkedEvent[]): string | undefined {
  const { name, version } = member.projection
  if (member.parked.count + parked.length > parkedMax) {
    return `projection ${name} version ${version} stopped: more than ${parkedMax} events are parked`
  }
  if (member.ready) return undefined
  const first = parked.reduce((a, b) => (a.position <= b.position ? a : b))
  return `projection ${name} version ${version} cannot be built: event ${first.type} at position ${first.position} of stream ${first.stream}: ${first.error}`
}

function parkedAlarm(member: Member, event: ParkedEvent): Alarm {
  const { type, position, stream, sequence, error } = event
  return {
    kind: 'parked',
    projection: member.projection.name,
    message: `event ${type} at position ${position} of stream ${stream} is parked with what follows it in ${sequence}: ${error}`,
  }
}
