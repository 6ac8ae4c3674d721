/** Records a batch of what a caller reports: all of it or nothing, in one append, to a stream of its own. */

import { Failure } from '../../domain/failure.ts'
import type { DecodedEvent, DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { EventStore, NewEvent, RecordedEvent } from '../../stores/eventStore.ts'

export interface BatchWriter {
  readonly store: Pick<EventStore, 'append' | 'readStream'>
  /** Of the event of this number among those of its command; settles when its turn has come. */
  readonly encode: (event: DomainEvent, context: EventContext, index: number) => Promise<NewEvent>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
}

export interface Batch<Event extends DomainEvent> {
  readonly stream: string
  /** Of a command that has a stream of its own. */
  readonly context: EventContext
  /** At least one. */
  readonly events: readonly Event[]
}

export interface RecordedBatch {
  readonly position: number
  /** The request under which it is on record: an earlier one when the batch was recorded before. */
  readonly request: string
  readonly repeated: boolean
}

/**
 * Appends the batch, or finds it where the same `Idempotency-Key` recorded it before. Throws `idempotency_key_reused` when that was
 * another batch, `unavailable` when the store cannot write, or no sealing key is left.
 */
export async function recordBatch<Event extends DomainEvent>(
  writer: BatchWriter,
  batch: Batch<Event>,
): Promise<RecordedBatch> {
  const { stream, context, events } = batch
  const known = await recordedBatch(writer, batch)
  if (known) return { ...known, repeated: true }
  const encoded: NewEvent[] = []
  for (const [index, event] of events.entries()) {
    encoded.push(await writer.encode(event, context, index))
  }
  const answer = await writer.store.append({ stream, events: encoded, expected: 'no_stream' })
  if (answer.ok && context.digest === undefined) {
    return { position: answer.position, request: context.request, repeated: false }
  }
  // the store takes an append whose ids it knows: what is on record may be another request's
  const made = await recordedBatch(writer, batch)
  if (!made) throw new Error(`the batch ${stream} was recorded and cannot be read`)
  return { ...made, repeated: made.request !== context.request }
}

/** The batch as it is on record; undefined when it is not, or has no key by which it could come again. */
async function recordedBatch<Event extends DomainEvent>(
  { store, decode }: BatchWriter,
  { stream, context, events }: Batch<Event>,
): Promise<Omit<RecordedBatch, 'repeated'> | undefined> {
  if (context.digest === undefined) return undefined
  // a shorter batch has none there; it is another one, which its first event says
  const last =
    (await store.readStream(stream, { from: events.length - 1, limit: 1 }))[0] ??
    (await store.readStream(stream, { from: 0, limit: 1 }))[0]
  if (!last) return undefined
  const { metadata, position } = decode(last)
  if (metadata.digest === context.digest) return { position, request: metadata.request }
  throw new Failure(
    'idempotency_key_reused',
    'The Idempotency-Key was used before with another request.',
  )
}
