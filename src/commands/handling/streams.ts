/** Caches the folded streams of a stream type, the last used, up to a limit of bytes. */

import type { Clock } from '../../domain/clock.ts'
import { weighedCache } from '../../domain/load/weighedCache.ts'
import type { DecodedEvent, DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { openOneByOne } from './oneByOne.ts'
import { openReadings } from './readings.ts'
import { completeState, decodeAll, type Reading, readOn, stateAt } from './readOn.ts'
import { type Done, keyOf, type RememberedCommands, readDone } from './rememberedCommands.ts'
import type { Snapshots } from './snapshots.ts'
import { type FoldedStream, foldAll, fresh, type StreamType } from './streamType.ts'

/** What a held stream takes beside its state, and each command it remembers. */
const streamBytes = 600
const commandBytes = 140

/** How far this process has followed the log. */
export interface Followed {
  /** Position up to which what is in memory is complete. */
  position: number
  /** When memory last had everything that was in the log at that time; undefined before it does. */
  asOfMs: number | undefined
}

/** A process that has not begun to follow. */
export function notFollowed(): Followed {
  return { position: 0, asOfMs: undefined }
}

/** What is in memory may be this old; beyond it every use reads on in the log. */
const staleMaxMs = 1_000

/** Whether the cache is recent enough (design 6: a second). */
export function isCurrent({ asOfMs }: Followed, { nowMs }: Clock): boolean {
  return asOfMs !== undefined && Math.abs(nowMs() - asOfMs) <= staleMaxMs
}

export interface Streams<State, Event extends DomainEvent> {
  /**
   * The stream as it is held: to its end when it was first asked for, with every event heard since. Read on first when nobody follows
   * the log, or when what is held is not to be trusted.
   */
  readonly folded: (stream: string) => FoldedStream<State> | Promise<FoldedStream<State>>
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
  /** Throws `Failure` when a state of the family has no room for the events. */
  readonly admit: (state: State, events: readonly Event[]) => void
  /** What these events alone make: a stream that has them and no others. */
  readonly alone: (events: readonly Event[]) => State
  /** The command of this context, when it was carried out before and is remembered. `folded` is its stream to its end. */
  readonly repeated: (
    stream: string,
    folded: FoldedStream<State>,
    context: EventContext,
  ) => Promise<Done<Event> | undefined>
  /** The stream as it was at a position of the log, read again from its beginning unless what is held is just that; it may go on. */
  readonly stateAt: (stream: string, position: number) => Promise<State>
}

interface StreamsOptions<State, Event extends DomainEvent> extends Reading<State, Event> {
  /** Where long streams are kept as they were folded; nowhere unless given. */
  readonly snapshots?: Snapshots | undefined
  /** About how many bytes the streams in memory may take. */
  readonly bytesMax: number
  /** Whether everything in the log but the newest is heard; nobody follows it unless given. */
  readonly isFollowed?: () => boolean
}

/** Opens the folded streams of a stream type. A stream that does not exist is not cached, so that asking for many costs no memory. */
export function openStreams<State, Event extends DomainEvent>(
  options: StreamsOptions<State, Event>,
): Streams<State, Event> {
  const { family, snapshots, isFollowed = () => false } = options
  const memory = weighedCache<FoldedStream<State>>(options.bytesMax)
  const past = openPast(options)

  const fold = (folded: FoldedStream<State>, events: readonly DecodedEvent<Event>[]): void => {
    foldAll(folded, events, family)
    // what is lacking is read before the stream is used again
    if (family.lacks?.(folded.state)) folded.trusted = false
    const stream = events[0]?.stream
    if (stream !== undefined && memory.get(stream) === folded) hold(stream, folded)
  }

  const hold = (stream: string, folded: FoldedStream<State>): void => {
    memory.set(stream, folded, weightOf(folded, family))
    snapshots?.note(stream, folded, family)
  }

  const readings = openReadings(async (stream, isMissed) => {
    const folded = memory.get(stream) ?? (await snapshots?.open(stream, family)) ?? fresh(family)
    folded.trusted = true
    try {
      do {
        await readOn(options, stream, folded)
        await completeState(options, stream, folded.state)
      } while (isMissed())
    } catch (error) {
      folded.trusted = false
      throw error
    }
    if (folded.revision >= 0) hold(stream, folded)
    return folded
  })

  return {
    folded: (stream) => {
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
      else if (revision > held.revision) fold(held, decodeAll(options, [recorded]))
    },
    distrust: (stream) => {
      const held = memory.get(stream)
      if (held) held.trusted = false
    },
    peek: (stream) => memory.get(stream),
    ...ofStreamType(options),
    stateAt: async (stream, position) => {
      const held = memory.get(stream)
      const isOfThen = held?.trusted && held.position <= position && held.known >= position
      if (isOfThen) return held.state
      return past(stream, position)
    },
  }
}

/** What does not depend on what is held. */
function ofStreamType<State, Event extends DomainEvent>(
  options: Reading<State, Event>,
): Pick<Streams<State, Event>, 'admit' | 'alone' | 'repeated'> {
  const { family } = options
  return {
    admit: (state, events) => family.admit?.(state, events),
    alone: (events) => events.reduce(family.evolve, family.initial()),
    repeated: async (stream, { commands, revision }, context) => {
      const first = placeOf(context, commands, revision)
      return first === undefined
        ? undefined
        : readDone<Event>(options, { stream, revision: first, context })
    },
  }
}

/** Streams as they were, of each one at a time: it is a copy of all of it. */
function openPast<State, Event extends DomainEvent>(
  options: Reading<State, Event>,
): (stream: string, position: number) => Promise<State> {
  const oneByOne = openOneByOne()
  return (stream, position) => oneByOne.run(stream, () => stateAt(options, stream, position))
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

function weightOf<State>(
  { state, commands }: FoldedStream<State>,
  { weigh }: Pick<StreamType<State, never>, 'weigh'>,
): number {
  return streamBytes + commands.size * commandBytes + weigh(state)
}
