/** Applies the parked events of a projection again, after their cause was fixed. */

import type { DecodedEvent } from '../../../events/recording/event.ts'
import type { Change } from '../../../stores/readStore.ts'
import { type Attempt, attempt, wordsOf } from '../attempt.ts'
import { eventBatch } from '../instances/eventBatch.ts'
import { checkpointOf, type ProjectionInstance } from '../instances/projectionInstance.ts'
import type { Runtime } from '../instances/runtime.ts'
import type { Target } from '../projection.ts'
import { leftMax, type Retried } from '../projections.ts'
import {
  documentSequence,
  listParked,
  type ParkedEvent,
  parkedChange,
  sequencesOf,
  streamSequence,
} from './parking.ts'

export const noneRetried: Retried = { applied: 0, parked: 0, left: [] }

/** Both together. */
export function sumOf(one: Retried, other: Retried): Retried {
  return {
    applied: one.applied + other.applied,
    parked: one.parked + other.parked,
    left: [...one.left, ...other.left].slice(0, leftMax),
  }
}

/**
 * Retries the parked events in the order of the log. A sequence goes on until one of its events fails again; that one and
 * the rest of the sequence stay parked. An event older than its document, which another stream has updated meanwhile, cannot be
 * applied in order any more and stays, too: only a new version of the projection fixes that. Throws what the stores throw.
 */
export async function retryInstance(
  runtime: Runtime,
  member: ProjectionInstance,
): Promise<Retried> {
  const parked = await listParked(runtime.readStore, member.parkedIn)
  const stuck = new Set<string>()
  const left: ParkedEvent[] = []
  for (const parkedEvent of parked) {
    const { error: _, ...event } = parkedEvent
    if (stuck.has(event.sequence)) {
      left.push(event)
      continue
    }
    const error = await retryOne(runtime, member, { event, stuck })
    if (error === undefined) continue
    stuck.add(event.sequence)
    left.push({ ...event, error })
  }
  member.parked = sequencesOf(left)
  return leaving(left, parked.length - left.length)
}

/** The outcome for a projection that has stopped, and so must not be written to. */
export async function leaveInstance(
  { readStore }: Runtime,
  member: ProjectionInstance,
): Promise<Retried> {
  return leaving(await listParked(readStore, member.parkedIn), 0)
}

function leaving(left: readonly ParkedEvent[], applied: number): Retried {
  return { applied, parked: left.length, left: left.slice(0, leftMax) }
}

/** Undefined when the event is applied and free, else why it stays. */
async function retryOne(
  runtime: Runtime,
  member: ProjectionInstance,
  { event, stuck }: Pick<Retry, 'event' | 'stuck'>,
): Promise<string | undefined> {
  const { stream, revision } = event
  const [recorded] = await runtime.eventStore.readStream(stream, { from: revision, limit: 1 })
  if (!recorded || recorded.position !== event.position) return 'it is not in the log any more'
  const decoded = eventBatch([recorded], runtime.decode).decoded(0)
  if (!decoded.ok) return wordsOf(decoded.error)
  const changes = await changesOf(runtime, { member, event, stuck, decoded: decoded.value })
  if (!changes.ok) return wordsOf(changes.error)
  const free = parkedChange(member.parkedIn, event, true)
  await runtime.readStore.commit([...changes.value, free], checkpointOf(member))
  return undefined
}

interface Retry {
  readonly member: ProjectionInstance
  readonly event: ParkedEvent
  /** The sequences that have failed again. */
  readonly stuck: ReadonlySet<string>
  readonly decoded: DecodedEvent
}

async function changesOf(runtime: Runtime, retry: Retry): Promise<Attempt<readonly Change[]>> {
  const { member, event, decoded } = retry
  const targets = attempt(() => member.projection.targets(decoded))
  if (!targets.ok) return targets
  const changes: Change[] = []
  for (const target of targets.value) {
    if (!isWanted(target, event)) continue
    const change = await changeOf(runtime, retry, target)
    if (!change.ok) return change
    changes.push(...change.value)
  }
  return { ok: true, value: changes }
}

/** An event parked for a document was applied to its other documents when it came. */
function isWanted({ collection, id }: Target, { sequence, stream }: ParkedEvent): boolean {
  return sequence === streamSequence(stream) || sequence === documentSequence(collection, id)
}

async function changeOf(
  { readStore }: Runtime,
  { member, decoded, stuck }: Retry,
  target: Target,
): Promise<Attempt<readonly Change[]>> {
  const { collection, id, once } = target
  if (stuck.has(documentSequence(collection, id))) {
    return { ok: false, error: new Error(`document ${id} of ${collection.name} waits for more`) }
  }
  const [stored] = once ? [] : await readStore.load(collection, [id])
  const position = stored?.position ?? 0
  if (position === decoded.position) return { ok: true, value: [] }
  if (position > decoded.position) {
    const message = `document ${id} of ${collection.name} is at position ${position} already: give the projection a new version`
    return { ok: false, error: new Error(message) }
  }
  const body = attempt(() => member.projection.apply(stored?.body ?? undefined, decoded, target))
  if (!body.ok) return body
  return { ok: true, value: [{ collection, id, position: decoded.position, body: body.value }] }
}
