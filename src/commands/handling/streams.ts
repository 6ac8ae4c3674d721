/** Streams of one family kept folded in memory, most recently used first. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { lru } from '../../domain/lru.ts'
import type { DecodedEvent, DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'
import type { Family, FoldedStream } from './family.ts'
import { openReadings } from './readings.ts'
import {
  type Done,
  keyOf,
  type RememberedCommands,
  readDone,
  rememberCommand,
} from './rememberedCommands.ts'

/** Events read at a time when a stream is loaded. */
const pageMax = 1_000

export interface Streams<State, Event extends DomainEvent> {
  /**
   * The stream as it is held: to its end when it was first asked for, with every event heard since. Read on first when nobody follows
   * the log, or when what is held is not to be trusted.
   */
  readonly folded: (stream: string) => Promise<FoldedStream<State>>
  /** The stream to its end, with every event that was acknowledged, to whomever, before this call. */
  readonly catchUp: (stream: string) => Promise<FoldedStream<State>>
  /** Folds events that follow the folded revision. */
  readonly fold: (folded: FoldedStream<State>, events: readonly DecodedEvent<Event>[]) => void
  /** Folds an event that was heard in the log, when its stream is held. Throws when the event cannot be decoded. */
  readonly hear: (recorded: RecordedEvent) => void
  /** What is held of the stream may lack an event: it is read on before it is used again. */
  readonly distrust: (stream: string) => void
  /** The folded stream, when it is in memory. */
  readonly peek: (stream: string) => FoldedStream<State> | undefined
  /** What these events alone make: a stream that has them and no others. */
  readonly alone: (events: readonly Event[]) => State
  /** The command of this context, when it was carried out before and is remembered. `folded` is its stream to its end. */
  readonly repeated: (
    stream: string,
    folded: FoldedStream<State>,
    context: EventContext,
  ) => Promise<Done<Event> | undefined>
  /** The stream as it was at a position of the log, read again from its beginning. */
  readonly stateAt: (stream: string, position: number) => Promise<State>
}

interface StreamsOptions<State, Event extends DomainEvent> {
  readonly store: Pick<EventStore, 'readStream' | 'readNews'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  readonly family: Family<State, Event>
  /** How many streams stay in memory. */
  readonly cachedMax: number
  /** Whether everything in the log but the newest is heard; nobody follows it unless given. */
  readonly isFollowed?: () => boolean
}

/** Opens the folded streams of a family. A stream that does not exist is not kept, so that asking for many of them costs no memory. */
export function openStreams<State, Event extends DomainEvent>(
  options: StreamsOptions<State, Event>,
): Streams<State, Event> {
  const { family, isFollowed = () => false } = options
  const memory = lru<string, FoldedStream<State>>(options.cachedMax)
  const decodeAll = decodingOf(options)

  const fold = (folded: FoldedStream<State>, events: readonly DecodedEvent<Event>[]): void => {
    for (const decoded of events) foldOne(folded, decoded, family)
  }

  const readOn = async (stream: string, folded: FoldedStream<State>): Promise<void> => {
    for (;;) {
      const page = { from: folded.revision + 1, limit: pageMax, known: folded.known }
      const { events, position } = await options.store.readNews(stream, page)
      fold(folded, decodeAll(events))
      folded.known = Math.max(folded.known, position)
      if (events.length < pageMax) return
      // a store that reads in this thread would hold up everybody else until a long stream is at its end
      await nextTurn()
    }
  }

  const readings = openReadings(async (stream, isMissed) => {
    const folded = memory.get(stream) ?? fresh(family)
    folded.trusted = true
    try {
      do await readOn(stream, folded)
      while (isMissed())
    } catch (error) {
      folded.trusted = false
      throw error
    }
    if (folded.revision >= 0) memory.set(stream, folded)
    return folded
  })

  return {
    folded: async (stream) => {
      const held = memory.get(stream)
      if (held?.trusted && isFollowed()) return held
      return held ? readings.next(stream) : readings.any(stream)
    },
    catchUp: readings.next,
    fold,
    hear: (recorded) => {
      const { stream, revision } = recorded
      const held = memory.get(stream)
      if (!held) readings.missed(stream)
      else if (revision > held.revision + 1) held.trusted = false
      else if (revision > held.revision) fold(held, decodeAll([recorded]))
    },
    distrust: (stream) => {
      const held = memory.get(stream)
      if (held) held.trusted = false
    },
    peek: (stream) => memory.get(stream),
    alone: (events) => events.reduce(family.evolve, family.initial()),
    repeated: async (stream, { commands, revision }, context) => {
      const first = placeOf(context, commands, revision)
      return first === undefined
        ? undefined
        : readDone<Event>(options, { stream, revision: first, context })
    },
    stateAt: (stream, position) => stateAt(options, stream, position),
  }
}

/** Where the command of this context would begin: one with a stream of its own at the beginning of it. */
function placeOf(
  context: EventContext,
  commands: RememberedCommands,
  revision: number,
): number | undefined {
  const key = keyOf(context)
  if (key === undefined) return undefined
  return commands.get(key) ?? (context.key === undefined && revision >= 0 ? 0 : undefined)
}

function decodingOf<State, Event extends DomainEvent>({ decode }: StreamsOptions<State, Event>) {
  return (events: readonly RecordedEvent[]) => events.map(decode) as DecodedEvent<Event>[]
}

async function stateAt<State, Event extends DomainEvent>(
  options: StreamsOptions<State, Event>,
  stream: string,
  position: number,
): Promise<State> {
  const folded = fresh(options.family)
  for (;;) {
    const page = { from: folded.revision + 1, limit: pageMax }
    const events = await options.store.readStream(stream, page)
    const wanted = decodingOf(options)(events.filter((event) => event.position <= position))
    for (const decoded of wanted) foldOne(folded, decoded, options.family)
    if (wanted.length < pageMax) return folded.state
    await nextTurn()
  }
}

function fresh<State, Event extends DomainEvent>(
  family: Family<State, Event>,
): FoldedStream<State> {
  return {
    state: family.initial(),
    revision: -1,
    position: 0,
    known: 0,
    trusted: true,
    commands: new Map(),
    lastCommand: undefined,
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
  rememberCommand(folded.commands, decoded, folded.lastCommand)
  folded.lastCommand = decoded.metadata.command
}
