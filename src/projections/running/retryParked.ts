/** Retries the parked events of a projection, in the order of the log. */

import type { DecodedEvent } from '../../events/recording/event.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'
import type { Change, ReadStore } from '../../stores/readStore.ts'
import {
  addParkedEvents,
  createParkChange,
  documentSequence,
  listParked,
  noneParked,
  type ParkedEvent,
  streamSequence,
} from './parkedEvents.ts'
import type { DocumentTarget } from './projection.ts'
import { type ProjectionInstance, toCheckpoint } from './projectionInstances.ts'
import { type RetryResult, reportedParkedMax } from './projectionState.ts'
import { attemptSync } from './retryOutages.ts'

interface RetryContext {
  readonly readStore: Pick<ReadStore, 'find' | 'load' | 'commit'>
  readonly eventStore: Pick<EventStore, 'readStream'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
}

/**
 * Retries the parked events in the order of the log. A sequence goes on until one of its events fails again; that one
 * and the rest of the sequence stay parked. An event older than its document, which another stream has updated
 * meanwhile, cannot be applied in order and stays too: only a new version of the projection fixes that. An instance
 * that has stopped must not be written to: its events all stay. Throws what the stores throw.
 */
export async function retryParked(
  context: RetryContext,
  instance: ProjectionInstance,
): Promise<RetryResult> {
  const parked = await listParked(context.readStore, instance.parkedCollection)
  if (instance.stopReason !== undefined) return toRetryResult(0, parked)
  const stuck = new Set<string>()
  const left: ParkedEvent[] = []
  for (const { error: _, ...event } of parked) {
    if (stuck.has(event.sequence)) {
      left.push(event)
      continue
    }
    const error = await retryOne(context, instance, { event, stuck })
    if (error === undefined) continue
    stuck.add(event.sequence)
    left.push({ ...event, error })
  }
  instance.parked = addParkedEvents(noneParked, left)
  return toRetryResult(parked.length - left.length, left)
}

function toRetryResult(applied: number, left: readonly ParkedEvent[]): RetryResult {
  return { applied, parked: left.length, left: left.slice(0, reportedParkedMax) }
}

/**
 * Undefined when the event is applied and no longer parked, else why it stays; `stuck` are the sequences that have
 * failed again.
 */
async function retryOne(
  { eventStore, readStore, decode }: RetryContext,
  instance: ProjectionInstance,
  { event, stuck }: { readonly event: ParkedEvent; readonly stuck: ReadonlySet<string> },
): Promise<string | undefined> {
  const { projection, parkedCollection } = instance
  const { stream, revision } = event
  const [recorded] = await eventStore.readStream(stream, { from: revision, limit: 1 })
  if (!recorded || recorded.position !== event.position) return 'it is not in the log any more'
  const read = attemptSync(() => {
    const decoded = decode(recorded)
    const targets = projection.targets(decoded).filter((target) => isParkedFor(event, target))
    return { decoded, targets }
  })
  if (!read.ok) return read.error
  const { decoded, targets } = read.value
  const loaded = await Promise.all(
    targets.map(async (target) => {
      const [stored] = target.once ? [] : await readStore.load(target.collection, [target.id])
      return { target, stored }
    }),
  )
  const retried = attemptSync(() =>
    loaded.flatMap(({ target, stored }): readonly Change[] => {
      const { collection, id } = target
      const name = `document ${id} of ${collection.name}`
      if (stuck.has(documentSequence(collection, id))) throw new Error(`${name} waits for more`)
      const { position = 0, body } = stored ?? {}
      if (position === event.position) return []
      if (position > event.position) {
        throw new Error(
          `${name} is at position ${position} already: give the projection a new version`,
        )
      }
      const applied = projection.apply(body ?? undefined, decoded, target)
      return [{ collection, id, position: event.position, body: applied }]
    }),
  )
  if (!retried.ok) return retried.error
  const unpark: Change = { ...createParkChange(parkedCollection, event), body: null }
  const changes = [...retried.value, unpark]
  await readStore.commit([{ changes, checkpoint: toCheckpoint(instance) }])
  return undefined
}

/** An event parked for one document was applied to its other documents when it came. */
function isParkedFor(
  { sequence, stream }: ParkedEvent,
  { collection, id }: DocumentTarget,
): boolean {
  return sequence === streamSequence(stream) || sequence === documentSequence(collection, id)
}
