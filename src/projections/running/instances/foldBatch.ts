/** Folds a batch of events into the documents of one projection, in memory. */

import type { DecodedEvent } from '../../../events/recording/event.ts'
import type { RecordedEvent } from '../../../stores/eventStore.ts'
import type { Change, Collection, DocumentBody, ReadStore } from '../../../stores/readStore.ts'
import { attempt, wordsOf } from '../attempt.ts'
import { documentSequence, type ParkedEvent, streamSequence } from '../parking/parking.ts'
import type { Projection, Target } from '../projection.ts'
import type { EventBatch } from './eventBatch.ts'
import type { ProjectionInstance } from './projectionInstance.ts'

/** Documents loaded at a time. */
const loadMax = 1_000

export interface Folded {
  /** One change for each document that is another now. */
  readonly changes: readonly Change[]
  readonly parked: readonly ParkedEvent[]
  /** Keys of the recurring documents written, to be remembered after the commit. */
  readonly written: readonly string[]
}

interface Step {
  readonly recorded: RecordedEvent
  readonly decoded: DecodedEvent
  readonly targets: readonly Target[]
}

interface Entry {
  readonly collection: Collection
  readonly id: string
  readonly once: Target['once']
  position: number
  body: DocumentBody | undefined
  changed: boolean
}

type Entries = Map<Collection, Map<string, Entry>>

/**
 * The projection's documents after the events of the batch that it has not handled yet. Events that a document has
 * seen already, by its position, are not applied to it again. Throws what the store throws; never because of an event.
 */
export async function foldBatch(
  member: ProjectionInstance,
  batch: EventBatch,
  store: Pick<ReadStore, 'load'>,
): Promise<Folded> {
  const park = openParking(member)
  const steps = stepsOf(member, batch, park)
  const entries = entriesOf(member, steps)
  await loadEntries(entries, store)
  for (const step of steps) {
    for (const target of step.targets) applyTo(entries, { member, step, target, park })
  }
  return { ...changesOf(entries), parked: park.parked }
}

/** The name under which it is remembered that a recurring document is there. */
function onceKey({ name }: Collection, id: string): string {
  return `${name}/${id}`
}

interface Parking {
  readonly parked: readonly ParkedEvent[]
  /** Whether anything is parked at all, which is rare. */
  readonly any: () => boolean
  /** Parks the event when its sequence waits already. */
  readonly behind: (sequence: string, recorded: RecordedEvent) => boolean
  readonly poison: (sequence: string, recorded: RecordedEvent, error: unknown) => void
}

function openParking(member: ProjectionInstance): Parking {
  const parked: ParkedEvent[] = []
  const opened = new Set<string>()
  const park = (sequence: string, recorded: RecordedEvent, error?: string): void => {
    const { position, stream, revision, type } = recorded
    const event = { sequence, position, stream, revision, type }
    parked.push(error === undefined ? event : { ...event, error })
  }
  return {
    parked,
    any: () => parked.length > 0 || member.parked.count > 0,
    behind: (sequence, recorded) => {
      // An event before the first parked one was delivered again: it is not behind it.
      const waits = (member.parked.first.get(sequence) ?? recorded.position) < recorded.position
      if (!waits && !opened.has(sequence)) return false
      park(sequence, recorded)
      return true
    },
    poison: (sequence, recorded, error) => {
      opened.add(sequence)
      park(sequence, recorded, wordsOf(error))
    },
  }
}

function stepsOf(member: ProjectionInstance, batch: EventBatch, park: Parking): readonly Step[] {
  const steps: Step[] = []
  for (const [index, recorded] of batch.events.entries()) {
    if (recorded.position <= member.position || !member.handles.has(recorded.type)) continue
    if (park.any() && park.behind(streamSequence(recorded.stream), recorded)) continue
    const read = stepOf(member.projection, batch, index)
    if (read.ok) steps.push({ recorded, ...read.value })
    else park.poison(streamSequence(recorded.stream), recorded, read.error)
  }
  return steps
}

function stepOf(projection: Projection, batch: EventBatch, index: number) {
  const decoded = batch.decoded(index)
  if (!decoded.ok) return decoded
  return attempt(() => ({
    decoded: decoded.value,
    targets: projection.targets(decoded.value),
  }))
}

function entriesOf(member: ProjectionInstance, steps: readonly Step[]): Entries {
  const entries: Entries = new Map()
  for (const { targets } of steps) {
    for (const { collection, id, once } of targets) {
      const known = entries.get(collection) ?? new Map<string, Entry>()
      entries.set(collection, known)
      if (known.has(id)) continue
      if (once === 'recurring' && member.written.has(onceKey(collection, id))) continue
      const rest = { once, position: 0, body: undefined, changed: false }
      known.set(id, { collection, id, ...rest })
    }
  }
  return entries
}

async function loadEntries(entries: Entries, store: Pick<ReadStore, 'load'>): Promise<void> {
  for (const [collection, known] of entries) {
    const ids = [...known.values()].filter(({ once }) => !once)
    for (let from = 0; from < ids.length; from += loadMax) {
      const page = ids.slice(from, from + loadMax).map(({ id }) => id)
      for (const { id, position, body } of await store.load(collection, page)) {
        const entry = known.get(id)
        if (entry) Object.assign(entry, { position, body: body ?? undefined })
      }
    }
  }
}

interface Application {
  readonly member: ProjectionInstance
  readonly step: Step
  readonly target: Target
  readonly park: Parking
}

function applyTo(entries: Entries, { member, step, target, park }: Application): void {
  const { recorded, decoded } = step
  const entry = entries.get(target.collection)?.get(target.id)
  if (!entry || recorded.position <= entry.position) return
  if (entry.once && entry.changed) return
  if (park.any() && park.behind(documentSequence(entry.collection, entry.id), recorded)) return
  const applied = attempt(() => member.projection.apply(entry.body, decoded, target))
  if (!applied.ok) {
    park.poison(documentSequence(entry.collection, entry.id), recorded, applied.error)
    return
  }
  entry.position = recorded.position
  if (applied.value === entry.body) return
  entry.body = applied.value ?? undefined
  entry.changed = true
}

function changesOf(entries: Entries): Omit<Folded, 'parked'> {
  const changes: Change[] = []
  const written: string[] = []
  for (const known of entries.values()) {
    for (const { collection, id, once, position, body, changed } of known.values()) {
      if (changed) changes.push({ collection, id, position, body: body ?? null })
      if (changed && once === 'recurring') written.push(onceKey(collection, id))
    }
  }
  return { changes, written }
}
