/** Declares the event store port, streams in one global order, and reads whole streams. */

/**
 * An event to append; `id` is a UUID in lower case, `data` and `metadata` are JSON texts that are read back to the
 * byte. Neither its type nor its stream begins with a `$`: those names are reserved for the store.
 */
export interface NewEvent {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

export interface RecordedEvent extends NewEvent {
  readonly stream: string
  /** 0 for the first event of the stream, then rising by one. */
  readonly revision: number
  /**
   * Strictly rising over all streams and greater than 0, but opaque: a store may be asked for what comes after 0 and
   * after a position that it has given, and for no other. On EventStoreDB it is where a record begins, and anything
   * else is refused.
   */
  readonly position: number
}

export type ExpectedRevision = number | 'no_stream'

/** Most bytes of the events of one append, as `eventBytes` counts them, on every store. */
export const appendBytesMax = 1024 * 1024

/** Bytes of an event as EventStoreDB has counted them since 24.10.4, and no store counts more. */
export function eventBytes({ type, data, metadata }: Omit<NewEvent, 'id'>): number {
  return Buffer.byteLength(data) + Buffer.byteLength(metadata) + 2 * type.length
}

/** A page of a stream, from a revision on. */
export interface StreamPage {
  readonly from: number
  /** Most events. */
  readonly limit: number
  /** The page ends with the event that brings its data and metadata to so many characters, or soon after. */
  readonly chars?: number
}

/** Up to `limit` events after a position. */
export interface LogPage {
  /** 0, or a position that the store has given: never one that was computed, nor a caller's. */
  readonly after: number
  readonly limit: number
}

/** The page size for reading a whole stream, so that a large one is never in memory as a whole. */
export const pageOfStream = { limit: 500, chars: 512 * 1024 } as const

/** Whether the stream may continue after a page. */
export function mayHaveMore(
  { limit, chars }: Pick<StreamPage, 'limit' | 'chars'>,
  events: readonly Pick<NewEvent, 'data' | 'metadata'>[],
): boolean {
  return events.length >= limit || (chars !== undefined && charsOf(events) >= chars)
}

/** Reads a whole stream, page by page. */
export async function* readPagesOfStream(
  events: Pick<EventStore, 'readStream'>,
  stream: string,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  for (let from = 0; ; ) {
    const page = { from, ...pageOfStream }
    const read = await events.readStream(stream, page)
    yield read
    if (!mayHaveMore(page, read)) return
    from += read.length
  }
}

/** Characters of data and metadata of events. */
export function charsOf(events: readonly Pick<NewEvent, 'data' | 'metadata'>[]): number {
  return events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0)
}

export interface Append {
  readonly stream: string
  readonly events: readonly NewEvent[]
  /** The revision of the last event that the writer has read. */
  readonly expected: ExpectedRevision
}

export interface Appended {
  readonly ok: true
  /** Revision and position of the last event of the append. */
  readonly revision: number
  readonly position: number
}

export interface WrongRevision {
  readonly ok: false
  readonly actual: ExpectedRevision
}

/** An event that was in the log, as another store recorded. */
export interface LogWitness {
  /** The name of that store. */
  readonly by: string
  readonly position: number
  readonly id: string
}

/** Matching events in order; up to `position` none is missing. */
export interface Excerpt {
  readonly events: readonly RecordedEvent[]
  readonly position: number
}

export interface EventStore {
  /**
   * Appends all events or none, and settles when they are on disk. The same ids at the same expected revision again
   * succeed with the first answer. Throws `Failure` `unavailable` when the store cannot write or the outcome is
   * unknown: sending the very same append again is then always right.
   */
  readonly append: (append: Append) => Promise<Appended | WrongRevision>
  /**
   * Whether appends succeed, as far as is known: false from a failed one until the store has probed by itself that it
   * can write again.
   */
  readonly isWritable: () => boolean
  /** The events of a page, oldest first; none when the stream does not exist. */
  readonly readStream: (stream: string, page: StreamPage) => Promise<readonly RecordedEvent[]>
  /**
   * The events of a page of a stream, oldest first, for a caller that knows the stream up to position `known`. Includes
   * every event acknowledged to any instance before the call. One request to the store, or none when nothing was
   * written at all.
   */
  readonly readNewEvents: (
    stream: string,
    page: StreamPage & { readonly known: number },
  ) => Promise<Excerpt>
  /** The events of a page of the log, in order. */
  readonly readAll: (page: LogPage) => Promise<readonly RecordedEvent[]>
  /** The last `limit` events of the log, or of one stream, in order. */
  readonly readTail: (limit: number, stream?: string) => Promise<readonly RecordedEvent[]>
  /**
   * Events after `after`, in order and in bounded batches, then those to come, until `signal` is aborted; an outage of
   * the store is waited out. `after` is 0 or a position that the store has given: throws `Failure` `unavailable` when
   * the log has no event there.
   */
  readonly follow: (after: number, signal: AbortSignal) => AsyncIterable<readonly RecordedEvent[]>
  /**
   * Like `follow`, with only the events of streams whose names begin with one of `prefixes`, and the position passed:
   * an excerpt without events reports progress over other streams.
   */
  readonly followStreams: (
    prefixes: readonly string[],
    after: number,
    signal: AbortSignal,
  ) => AsyncIterable<Excerpt>
  /** The position of the last event that `follow` yields, 0 when there is none. */
  readonly head: () => Promise<number>
  /** Finishes the appends in flight and closes. */
  readonly close: () => Promise<void>
}

/** Statistics of one commit, for metrics. */
export interface CommitStatistics {
  readonly appends: number
  readonly events: number
  /** Length of data and metadata; bytes as long as the texts are ASCII. */
  readonly bytes: number
  /** From handing the batch over to its answers. */
  readonly durationMs: number
}
