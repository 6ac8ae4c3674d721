/** Reads streams from the log page by page, and folds them into their current or past state. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { pauseLongWork } from '../../domain/load/longWork.ts'
import type { DecodedEvent, DomainEvent } from '../../events/recording/event.ts'
import {
  type EventStore,
  mayHaveMore,
  pageOfStream,
  type RecordedEvent,
} from '../../stores/eventStore.ts'
import { createFoldedStream, type FoldedStream, foldEvents, type StreamType } from './streamType.ts'

export interface StreamReader<State, Event extends DomainEvent> {
  readonly store: Pick<EventStore, 'readStream' | 'readNewEvents' | 'readTail'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  readonly streamType: StreamType<State, Event>
  /** Reads what a state lacks and gives it to it; called when the streamType says that something is lacking. */
  readonly complete?: (stream: string, state: State) => Promise<void>
}

/** Folds the new events of the stream, yielding to other work between pages: a long stream blocks no request. */
export async function foldNewEvents<State, Event extends DomainEvent>(
  reading: StreamReader<State, Event>,
  stream: string,
  folded: FoldedStream<State>,
): Promise<void> {
  for (;;) {
    const page = { from: folded.revision + 1, ...pageOfStream, known: folded.caughtUpPosition }
    const { events, position } = await reading.store.readNewEvents(stream, page)
    await foldPage(reading, folded, events)
    folded.caughtUpPosition = Math.max(folded.caughtUpPosition, position)
    if (!mayHaveMore(page, events)) return
    await nextTurn()
    await foldTail(reading, stream, folded)
  }
}

/** Passes over what the last events of the stream make old, where those are enough. */
async function foldTail<State, Event extends DomainEvent>(
  reading: StreamReader<State, Event>,
  stream: string,
  folded: FoldedStream<State>,
): Promise<void> {
  const { lastNeeded } = reading.streamType
  if (lastNeeded === undefined) return
  const events = await reading.store.readTail(lastNeeded, stream)
  folded.revision = Math.max(folded.revision, (events[0]?.revision ?? 0) - 1)
  await foldPage(reading, folded, events)
}

/** Reads what the state lacks, until it lacks nothing. */
export async function completeState<State, Event extends DomainEvent>(
  { streamType, complete }: Pick<StreamReader<State, Event>, 'streamType' | 'complete'>,
  stream: string,
  state: State,
): Promise<void> {
  while (complete && streamType.lacks?.(state)) await complete(stream, state)
}

/** The events, decoded as those of the stream type. */
export function decodeAll<State, Event extends DomainEvent>(
  { decode }: Pick<StreamReader<State, Event>, 'decode' | 'streamType'>,
  events: readonly RecordedEvent[],
): DecodedEvent<Event>[] {
  return events.map(decode) as DecodedEvent<Event>[]
}

/** Events folded before others have their turn. */
const foldedAtOnce = 32

/** Folds a page, others having their turns in between. */
async function foldPage<State, Event extends DomainEvent>(
  reading: Pick<StreamReader<State, Event>, 'decode' | 'streamType'>,
  folded: FoldedStream<State>,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (let first = 0; first < events.length; first += foldedAtOnce) {
    if (first > 0) await pauseLongWork()
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
  await completeState(reading, stream, folded.state)
  return folded.state
}
