/** Reads streams from the log page by page, and folds them into their current or past state. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type LoadContext, pauseLongWork } from '../../domain/load/scheduler.ts'
import type { DecodedEvent, DomainEvent } from '../../events/recording/event.ts'
import {
  type EventStore,
  mayHaveMore,
  pageOfStream,
  type RecordedEvent,
} from '../../stores/eventStore.ts'
import { createFoldedStream, type FoldedStream, foldEvents, type StreamType } from './streamType.ts'

export interface StreamReader<State, Event extends DomainEvent> extends LoadContext {
  readonly store: Pick<EventStore, 'readStream' | 'readNewEvents' | 'readTail'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  readonly streamType: StreamType<State, Event>
}

/** Folds the new events of the stream. Yields to other work between pages: a long stream blocks no request. */
export async function foldNewEvents<State, Event extends DomainEvent>(
  reading: StreamReader<State, Event>,
  stream: string,
  folded: FoldedStream<State>,
): Promise<void> {
  const { store, streamType } = reading
  const { lastNeeded } = streamType
  for (;;) {
    const page = { from: folded.revision + 1, ...pageOfStream, known: folded.caughtUpPosition }
    const { events, position } = await store.readNewEvents(stream, page)
    await foldPage(reading, folded, events)
    folded.caughtUpPosition = Math.max(folded.caughtUpPosition, position)
    if (!mayHaveMore(page, events)) break
    await nextTurn()
    if (lastNeeded === undefined) continue
    // what the last events make old is passed over
    const last = await store.readTail(lastNeeded, stream)
    folded.revision = Math.max(folded.revision, (last[0]?.revision ?? 0) - 1)
    await foldPage(reading, folded, last)
  }
}

/** The events, decoded as those of the stream type. */
export function decodeAll<State, Event extends DomainEvent>(
  { decode }: StreamReader<State, Event>,
  events: readonly RecordedEvent[],
): DecodedEvent<Event>[] {
  return events.map(decode) as DecodedEvent<Event>[]
}

/** Events folded before others have their turn. */
const foldedAtOnce = 32

async function foldPage<State, Event extends DomainEvent>(
  reading: StreamReader<State, Event>,
  folded: FoldedStream<State>,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (let first = 0; first < events.length; first += foldedAtOnce) {
    if (first > 0) await pauseLongWork(reading)
    const part = events.slice(first, first + foldedAtOnce)
    foldEvents(folded, decodeAll(reading, part), reading.streamType)
  }
}

/** The stream as it was at a position of the log, read from its beginning. */
export async function readStateAt<State, Event extends DomainEvent>(
  reading: StreamReader<State, Event>,
  stream: string,
  position: number,
): Promise<State> {
  const { streamType, store } = reading
  const folded = createFoldedStream(streamType)
  for (;;) {
    const page = { from: folded.revision + 1, ...pageOfStream }
    const events = await store.readStream(stream, page)
    const wanted = events.filter((event) => event.position <= position)
    await foldPage(reading, folded, wanted)
    if (wanted.length < events.length || !mayHaveMore(page, events)) break
    await nextTurn()
  }
  return folded.state
}
