/** Caches recently used folded streams up to a limit of bytes; tells if the cache is fresh. */

import type { Clock } from '../../domain/clock.ts'
import { openWeighedCache } from '../../domain/load/weighedCache.ts'
import type { DecodedEvent, DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { decodeAll, foldNewEvents, readStateAt, type StreamReader } from './foldStream.ts'
import { type CompletedCommand, findCompletedCommand } from './rememberedCommands.ts'
import type { Snapshots } from './snapshots.ts'
import { openStreamQueue } from './streamQueue.ts'
import { createFoldedStream, type FoldedStream, foldEvents } from './streamType.ts'

/** Bytes of a cached stream beside its state, and of each command it remembers. */
const streamBytes = 600
const commandBytes = 140

/** How far this process has followed the log. */
export interface FollowProgress {
  /** Position up to which what is in memory is complete. */
  position: number
  /** When memory last had everything that was in the log at that time; undefined before it does. */
  asOfMs: number | undefined
  /** Where the log ended at times of the last second, the oldest first. */
  heads: readonly { readonly atMs: number; readonly position: number }[]
}

/** What is in memory may be this old; beyond it every use reads on in the log. */
const staleMaxMs = 1_000

/** Whether the cache is recent enough (design 6: a second). */
export function isCacheFresh({ asOfMs }: FollowProgress, { nowMs }: Clock): boolean {
  return asOfMs !== undefined && Math.abs(nowMs() - asOfMs) <= staleMaxMs
}

export interface FoldedStreamCache<State, Event extends DomainEvent> {
  /**
   * The cached stream: to its end when it was first asked for, with every event followed since. Read on first when the
   * log is not followed, or when the cache may lack an event.
   */
  readonly getFolded: (stream: string) => FoldedStream<State> | Promise<FoldedStream<State>>
  /** The stream to its end, with every event that was acknowledged, to whomever, before this call. */
  readonly catchUp: (stream: string) => Promise<FoldedStream<State>>
  /** Folds events that follow the folded revision. */
  readonly fold: (folded: FoldedStream<State>, events: readonly DecodedEvent<Event>[]) => void
  /**
   * Folds an event that was followed in the log, when its stream is cached. Throws when the event cannot be decoded.
   */
  readonly applyEvent: (recorded: RecordedEvent) => void
  /** The cached stream may lack an event: it is read on before it is used again. */
  readonly invalidate: (stream: string) => void
  /** The folded stream, when it is in memory. */
  readonly peek: (stream: string) => FoldedStream<State> | undefined
  /** The state of a stream of these events only. */
  readonly foldFromInitial: (events: readonly Event[]) => State
  /**
   * The command of this context, when it was carried out before and is remembered. `folded` is its stream to its end.
   */
  readonly findCompletedCommand: (
    stream: string,
    folded: FoldedStream<State>,
    context: EventContext,
  ) => Promise<CompletedCommand<Event> | undefined>
  /** The stream as it was at a position of the log, read again from its beginning unless the cache has just that. */
  readonly stateAt: (stream: string, position: number) => Promise<State>
}

interface StreamsOptions<State, Event extends DomainEvent> extends StreamReader<State, Event> {
  /** Where long streams are saved as they were folded; nowhere unless given. */
  readonly snapshots?: Snapshots | undefined
  /** About how many bytes the streams in memory may take. */
  readonly bytesMax: number
  /** Whether this process follows the log closely; it does not unless given. */
  readonly isFollowed?: () => boolean
}

/**
 * Opens the folded streams of a stream type. A stream that does not exist is not cached, so that asking for many costs
 * no memory.
 */
export function openStreamCache<State, Event extends DomainEvent>(
  options: StreamsOptions<State, Event>,
): FoldedStreamCache<State, Event> {
  const { streamType, snapshots, isFollowed = () => false } = options
  const memory = openWeighedCache<FoldedStream<State>>(options.bytesMax)
  // streams of the past one at a time: each is a copy of all of it
  const past = openStreamQueue()

  const cache = (stream: string, folded: FoldedStream<State>): void => {
    const { state, commands } = folded
    const bytes = streamBytes + commands.size * commandBytes + streamType.estimateBytes(state)
    memory.set(stream, folded, bytes)
    snapshots?.scheduleSave(stream, folded, streamType)
  }

  const fold = (folded: FoldedStream<State>, events: readonly DecodedEvent<Event>[]): void => {
    foldEvents(folded, events, streamType)
    const stream = events[0]?.stream
    if (stream !== undefined && memory.get(stream) === folded) cache(stream, folded)
  }

  const readings = openReadings(async (stream, isMissed) => {
    const saved = memory.get(stream) ?? (await snapshots?.open(stream, streamType))
    const folded = saved ?? createFoldedStream(streamType)
    folded.isTrusted = true
    try {
      do await foldNewEvents(options, stream, folded)
      while (isMissed())
    } catch (error) {
      folded.isTrusted = false
      throw error
    }
    if (folded.revision >= 0) cache(stream, folded)
    return folded
  })

  return {
    getFolded: (stream) => {
      const cached = memory.get(stream)
      if (cached?.isTrusted && isFollowed()) return cached
      return cached ? readings.next(stream) : readings.any(stream)
    },
    catchUp: readings.next,
    fold,
    applyEvent: (recorded) => {
      const { stream, revision } = recorded
      const cached = memory.get(stream)
      if (!cached) readings.missed(stream)
      else if (revision > cached.revision + 1) cached.isTrusted = false
      else if (revision > cached.revision) fold(cached, decodeAll(options, [recorded]))
    },
    invalidate: (stream) => {
      const cached = memory.get(stream)
      if (cached) cached.isTrusted = false
    },
    peek: (stream) => memory.get(stream),
    foldFromInitial: (events) => events.reduce(streamType.evolve, streamType.initial()),
    findCompletedCommand: (stream, folded, context) =>
      findCompletedCommand<Event>(options, { stream, folded, context }),
    stateAt: async (stream, position) => {
      const cached = memory.get(stream)
      if (cached && isAsOf(cached, position)) return cached.state
      return past.run(stream, () => readStateAt(options, stream, position))
    },
  }
}

/** Whether what is cached is the state as of a position of the log. */
function isAsOf(cached: FoldedStream<unknown>, position: number): boolean {
  return cached.isTrusted && cached.position <= position && cached.caughtUpPosition >= position
}

interface ReadingUnderWay<Value> {
  readonly value: Promise<Value>
  next: Promise<Value> | undefined
  missed: boolean
}

/**
 * Runs one read of a stream at a time, and shares it among all concurrent callers. `isMissed` tells the read, once for
 * each missed event, whether it has to read again.
 */
function openReadings<Value>(read: (stream: string, isMissed: () => boolean) => Promise<Value>) {
  const underWay = new Map<string, ReadingUnderWay<Value>>()

  const begin = (stream: string): Promise<Value> => {
    const isMissed = (): boolean => {
      const { missed } = reading
      reading.missed = false
      return missed
    }
    // after this turn, so that whatever the reading calls finds it under way
    const value = Promise.resolve()
      .then(() => read(stream, isMissed))
      .finally(() => underWay.delete(stream))
    const reading: ReadingUnderWay<Value> = { value, next: undefined, missed: false }
    underWay.set(stream, reading)
    return value
  }

  /** What the reading under way finds, or one that begins now. */
  const any = (stream: string): Promise<Value> => underWay.get(stream)?.value ?? begin(stream)

  return {
    any,
    /** What a reading finds that begins after this call; all who call while another one is under way share it. */
    next: (stream: string): Promise<Value> => {
      const reading = underWay.get(stream)
      if (!reading) return begin(stream)
      // whatever is under way once this one has ended began after this call
      const next = () => any(stream)
      reading.next ??= reading.value.then(next, next)
      return reading.next
    },
    /** An event of the stream has come that the reading under way, if there is one, may have looked for too early. */
    missed: (stream: string): void => {
      const reading = underWay.get(stream)
      if (reading) reading.missed = true
    },
  }
}
