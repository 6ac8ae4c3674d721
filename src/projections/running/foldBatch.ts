/** Folds a batch of events into the documents of one projection, in memory. */

import type { DecodedEvent, EventMetadata } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import type { Change, Collection, DocumentBody, ReadStore } from '../../stores/readStore.ts'
import { documentSequence, type ParkedEvent, streamSequence } from './parkedEvents.ts'
import type { DocumentTarget } from './projection.ts'
import type { ProjectionInstance } from './projectionInstances.ts'
import { attemptSync } from './retryOutages.ts'

/** Documents loaded at a time. */
const loadMax = 1_000

export type DecodeEvent = (recorded: RecordedEvent) => DecodedEvent

export interface EventBatch {
  readonly events: readonly RecordedEvent[]
  /** The event of this index, decoded once for all projections. Throws when it cannot be decoded. */
  readonly decodeAt: (index: number) => DecodedEvent
}

/** The batch of these events. */
export function createEventBatch(
  events: readonly RecordedEvent[],
  decode: DecodeEvent,
): EventBatch {
  const known: DecodedEvent[] = []
  return {
    events,
    decodeAt: (index) => {
      const recorded = events[index]
      if (!recorded) throw new Error(`no event ${index} in a batch of ${events.length}`)
      known[index] ??= decode(recorded)
      return known[index]
    },
  }
}

export interface FoldedBatch {
  /** One change for each document that changed. */
  readonly changes: readonly Change[]
  readonly parked: readonly ParkedEvent[]
  /** Keys of the recurring documents written, to be remembered after the commit. */
  readonly written: readonly string[]
}

interface Step {
  readonly recorded: RecordedEvent
  readonly decoded: DecodedEvent
  readonly targets: readonly DocumentTarget[]
}

interface Entry {
  readonly collection: Collection
  readonly id: string
  readonly once: DocumentTarget['once']
  position: number
  body: DocumentBody | undefined
  changed: boolean
}

/** One projection's fold of one batch. */
interface Fold {
  readonly instance: ProjectionInstance
  readonly batch: EventBatch
  readonly entries: Map<Collection, Map<string, Entry>>
  readonly parked: ParkedEvent[]
  /** Sequences opened by a poison event of this batch. */
  readonly opened: Set<string>
}

/**
 * The projection's documents after the events of the batch that it has not handled yet. Events that a document has
 * seen already, by its position, are not applied to it again. Throws what the store throws; never because of an event.
 */
export async function foldBatch(
  instance: ProjectionInstance,
  batch: EventBatch,
  store: Pick<ReadStore, 'load'>,
): Promise<FoldedBatch> {
  const fold: Fold = { instance, batch, entries: new Map(), parked: [], opened: new Set() }
  const steps = readSteps(fold)
  addEntries(fold, steps)
  await loadEntries(fold, store)
  for (const step of steps) {
    for (const target of step.targets) applyStep(fold, step, target)
  }
  return { ...collectChanges(fold), parked: fold.parked }
}

/** The key under which a recurring document is remembered as written. */
function buildWrittenKey({ name }: Collection, id: string): string {
  return `${name}/${id}`
}

/** Parks a poison event, which opens the sequence, for its error; one without an error waits behind it. */
function park(
  fold: Fold,
  sequence: string,
  {
    position,
    stream,
    revision,
    type,
    metadata,
    error,
  }: RecordedEvent & { readonly error?: string },
): void {
  const read = attemptSync(() => (JSON.parse(metadata) as Partial<EventMetadata>).account)
  const account = (read.ok && read.value) || ''
  const event = { sequence, position, stream, revision, type, account }
  if (error !== undefined) fold.opened.add(sequence)
  fold.parked.push(error === undefined ? event : { ...event, error })
}

/** Parks the event when its sequence is parked already. */
function parkBehind(fold: Fold, sequence: string, recorded: RecordedEvent): boolean {
  const { firstPositions: first } = fold.instance.parked
  // An event before the first parked one was delivered again: it is not behind it.
  const waits = (first.get(sequence) ?? recorded.position) < recorded.position
  if (!waits && !fold.opened.has(sequence)) return false
  park(fold, sequence, recorded)
  return true
}

/** Whether anything is parked at all, which is rare. */
function anyParked({ instance, parked }: Fold): boolean {
  return parked.length > 0 || instance.parked.eventCount > 0
}

function readSteps(fold: Fold): readonly Step[] {
  const { instance, batch } = fold
  const steps: Step[] = []
  for (const [index, recorded] of batch.events.entries()) {
    if (recorded.position <= instance.position || !instance.eventTypes.has(recorded.type)) continue
    const sequence = streamSequence(recorded.stream)
    if (anyParked(fold) && parkBehind(fold, sequence, recorded)) continue
    const read = attemptSync(() => {
      const decoded = batch.decodeAt(index)
      return { recorded, decoded, targets: instance.projection.targets(decoded) }
    })
    if (read.ok) steps.push(read.value)
    else park(fold, sequence, { ...recorded, error: read.error })
  }
  return steps
}

function addEntries({ instance, entries }: Fold, steps: readonly Step[]): void {
  for (const { targets } of steps) {
    for (const { collection, id, once } of targets) {
      const known = entries.get(collection) ?? new Map<string, Entry>()
      entries.set(collection, known)
      if (known.has(id)) continue
      if (once === 'recurring' && instance.written.has(buildWrittenKey(collection, id))) continue
      known.set(id, { collection, id, once, position: 0, body: undefined, changed: false })
    }
  }
}

async function loadEntries({ entries }: Fold, store: Pick<ReadStore, 'load'>): Promise<void> {
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

function applyStep(fold: Fold, { recorded, decoded }: Step, target: DocumentTarget): void {
  const entry = fold.entries.get(target.collection)?.get(target.id)
  if (!entry || recorded.position <= entry.position) return
  if (entry.once && entry.changed) return
  const sequence = () => documentSequence(entry.collection, entry.id)
  if (anyParked(fold) && parkBehind(fold, sequence(), recorded)) return
  const applied = attemptSync(() => fold.instance.projection.apply(entry.body, decoded, target))
  if (!applied.ok) {
    park(fold, sequence(), { ...recorded, error: applied.error })
    return
  }
  entry.position = recorded.position
  if (applied.value === entry.body) return
  entry.body = applied.value ?? undefined
  entry.changed = true
}

function collectChanges({ entries }: Fold): Omit<FoldedBatch, 'parked'> {
  const changes: Change[] = []
  const written: string[] = []
  for (const known of entries.values()) {
    for (const { collection, id, once, position, body, changed } of known.values()) {
      if (changed) changes.push({ collection, id, position, body: body ?? null })
      if (changed && once === 'recurring') written.push(buildWrittenKey(collection, id))
    }
  }
  return { changes, written }
}
