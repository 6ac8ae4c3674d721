/** Streams of one family kept folded in memory, most recently used first. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { lru } from '../../domain/lru.ts'
import type { DecodedEvent, DomainEvent } from '../../events/recording/event.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'
import type { Family, FoldedStream } from './family.ts'

/** Events read at a time when a stream is loaded. */
const pageMax = 1_000

export interface Streams<State, Event extends DomainEvent> {
  /** The stream folded up to its end when it was first asked for, and to every append since. */
  readonly folded: (stream: string) => Promise<FoldedStream<State>>
  /** Folds what has been appended since, by whomever. */
  readonly catchUp: (stream: string) => Promise<FoldedStream<State>>
  /** Folds events that follow the folded revision. */
  readonly fold: (folded: FoldedStream<State>, events: readonly DecodedEvent<Event>[]) => void
  /** The folded stream, when it is in memory. */
  readonly peek: (stream: string) => FoldedStream<State> | undefined
  /** What these events alone make: a stream that has them and no others. */
  readonly alone: (events: readonly Event[]) => State
  /** The stream as it was at a position of the log, read again from its beginning. */
  readonly stateAt: (stream: string, position: number) => Promise<State>
}

interface StreamsOptions<State, Event extends DomainEvent> {
  readonly store: Pick<EventStore, 'readStream'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  readonly family: Family<State, Event>
  /** How many streams stay in memory. */
  readonly cachedMax: number
}

/** Opens the folded streams of a family. A stream that does not exist is not kept, so that asking for many of them costs no memory. */
export function openStreams<State, Event extends DomainEvent>(
  options: StreamsOptions<State, Event>,
): Streams<State, Event> {
  const { family } = options
  const memory = lru<string, FoldedStream<State>>(options.cachedMax)
  const loading = new Map<string, Promise<FoldedStream<State>>>()

  const fold = (folded: FoldedStream<State>, events: readonly DecodedEvent<Event>[]): void => {
    for (const decoded of events) foldOne(folded, decoded, family)
  }

  const fresh = (): FoldedStream<State> => ({
    state: family.initial(),
    revision: -1,
    position: 0,
    commands: new Map(),
  })

  /** Folds what follows in the stream, up to a position of the log. */
  const followUpTo = async (
    stream: string,
    folded: FoldedStream<State>,
    last: number,
  ): Promise<FoldedStream<State>> => {
    for (;;) {
      const page = await options.store.readStream(stream, {
        from: folded.revision + 1,
        limit: pageMax,
      })
      const wanted = page.filter(({ position }) => position <= last)
      fold(folded, wanted.map(options.decode) as DecodedEvent<Event>[])
      if (wanted.length < pageMax) return folded
      // a store that reads in this thread would hold up everybody else until a long stream is at its end
      await nextTurn()
    }
  }

  const load = async (stream: string): Promise<FoldedStream<State>> => {
    const folded = await followUpTo(stream, memory.get(stream) ?? fresh(), Number.POSITIVE_INFINITY)
    if (folded.revision >= 0) memory.set(stream, folded)
    return folded
  }

  const catchUp = (stream: string): Promise<FoldedStream<State>> => {
    const running = loading.get(stream)
    if (running) return running
    const started = load(stream).finally(() => loading.delete(stream))
    loading.set(stream, started)
    return started
  }

  return {
    folded: async (stream) => memory.get(stream) ?? (await catchUp(stream)),
    catchUp,
    fold,
    peek: (stream) => memory.get(stream),
    alone: (events) => events.reduce(family.evolve, family.initial()),
    stateAt: async (stream, position) => (await followUpTo(stream, fresh(), position)).state,
  }
}

function foldOne<State, Event extends DomainEvent>(
  folded: FoldedStream<State>,
  decoded: DecodedEvent<Event>,
  family: Family<State, Event>,
): void {
  if (decoded.revision !== folded.revision + 1) {
    if (decoded.revision <= folded.revision) return
    throw new Error(`stream ${decoded.stream} has a hole before revision ${decoded.revision}`)
  }
  folded.state = family.evolve(folded.state, decoded.event)
  folded.revision = decoded.revision
  folded.position = decoded.position
  remember(folded, decoded)
}

function remember<State>(
  folded: FoldedStream<State>,
  { event, metadata, position }: DecodedEvent,
): void {
  if (metadata.digest === undefined) return
  const done = folded.commands.get(metadata.command)
  if (done) {
    done.events.push(event)
    done.position = position
    return
  }
  folded.commands.set(metadata.command, { digest: metadata.digest, events: [event], position })
}
