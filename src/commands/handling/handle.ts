/** Runs the write path of every command but an evaluation, in five steps. */

import { Failure } from '../../domain/failure.ts'
import {
  type DecodedEvent,
  type DomainEvent,
  type EventContext,
  epoch,
} from '../../events/recording/event.ts'
import type {
  Append,
  Appended,
  EventStore,
  NewEvent,
  WrongRevision,
} from '../../stores/eventStore.ts'
import type { OneByOne } from './oneByOne.ts'
import type { Streams } from './streams.ts'
import type { FoldedStream } from './streamType.ts'

/** How often a command is decided anew because another writer was faster: each time one of them was done, and with a few instances that soon means this one. */
const decideMax = 20

export interface Command<State, Event extends DomainEvent> {
  readonly stream: string
  readonly context: EventContext
  /**
   * The events that carry the command out; none when nothing has to change. Throws `Failure` when it is refused. One that takes turns is
   * asked anew when the state has changed under it.
   */
  readonly decide: (state: State) => readonly Event[] | Promise<readonly Event[]>
}

export interface Handled<State, Event> {
  /** The stream's state with the events folded in. */
  readonly state: State
  /** The events of the command, also when they were appended by an earlier call with the same `Idempotency-Key`. */
  readonly events: readonly Event[]
  readonly position: number
  /** UUID of the command that carried it out; of the earlier call where there was one. */
  readonly command: string
  /** Whether an earlier call had carried the command out. */
  readonly repeated: boolean
}

export interface Writer<State, Event extends DomainEvent> {
  readonly oneByOne: OneByOne
  readonly store: Pick<EventStore, 'append'>
  readonly streams: Streams<State, Event>
  readonly encode: (events: readonly Event[], context: EventContext) => readonly NewEvent[]
}

/**
 * Carries a command out. Throws what `decide` throws, `idempotency_key_reused` for a known command with another input, `conflict`
 * when other writers kept being faster, `unavailable` when the store cannot write.
 */
export function handle<State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  command: Command<State, Event>,
): Promise<Handled<State, Event>> {
  return writer.oneByOne.run(command.stream, () => carryOut(writer, command))
}

async function carryOut<State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  command: Command<State, Event>,
): Promise<Handled<State, Event>> {
  const { stream, context } = command
  // What other instances have written counts, too.
  let folded = await writer.streams.catchUp(stream)
  for (let attempt = 0; attempt < decideMax; attempt += 1) {
    // 1. A command that was carried out before is answered from its events.
    const repeated = await repeatedCommand(writer, folded, command)
    if (repeated) return repeated

    // 2. Decide, on a state that nobody else's events change meanwhile.
    const { revision } = folded
    const events = await command.decide(folded.state)
    if (folded.revision !== revision) continue
    if (events.length === 0) return handled(command, events, folded)
    writer.streams.admit(folded.state, events)

    // 3. Append at the revision the decision was made on.
    const expected = revision < 0 ? 'no_stream' : revision
    const encoded = writer.encode(events, context)
    const answer = await appendHeld(writer, { stream, events: encoded, expected })

    // 4. Somebody else was faster: look again and decide anew.
    if (!answer.ok) {
      folded = await writer.streams.catchUp(stream)
      continue
    }

    // 5. Fold what was written.
    writer.streams.fold(folded, decodedOf(events, command, answer))
    folded = await writer.streams.folded(stream)
    return { ...handled(command, events, folded), position: answer.position }
  }
  throw new Failure('conflict', 'Others kept changing the same thing; try again.', {
    retryAfterSeconds: 1,
  })
}

/** Appends. What is held of the stream is not trusted once it is unknown whether the events are in it. */
async function appendHeld<State, Event extends DomainEvent>(
  { store, streams }: Writer<State, Event>,
  append: Append,
): Promise<Appended | WrongRevision> {
  try {
    return await store.append(append)
  } catch (error) {
    streams.distrust(append.stream)
    throw error
  }
}

function handled<State, Event extends DomainEvent>(
  { context: { command } }: Command<State, Event>,
  events: readonly Event[],
  { state, position }: FoldedStream<State>,
): Handled<State, Event> {
  return { state, events, position, command, repeated: false }
}

async function repeatedCommand<State, Event extends DomainEvent>(
  { streams }: Writer<State, Event>,
  folded: FoldedStream<State>,
  { stream, context }: Command<State, Event>,
): Promise<Handled<State, Event> | undefined> {
  const done = await streams.repeated(stream, folded, context)
  if (!done) return undefined
  if (done.digest !== context.digest) {
    throw new Failure(
      'idempotency_key_reused',
      'The Idempotency-Key was used before with another request.',
    )
  }
  const { events, position, command } = done
  return { state: folded.state, events, position, command, repeated: true }
}

function decodedOf<State, Event extends DomainEvent>(
  events: readonly Event[],
  { stream, context }: Command<State, Event>,
  last: Appended,
): DecodedEvent<Event>[] {
  const first = last.revision - events.length + 1
  return events.map((event, index) => ({
    event,
    metadata: { ...context, epoch, version: 0 },
    stream,
    revision: first + index,
    position: last.position,
  }))
}
