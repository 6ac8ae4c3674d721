/** Declares the port of the event store: streams of events in one global order. */

/**
 * An event to append; `id` is a UUID in lower case, `data` and `metadata` are JSON texts that come back to the byte. Neither its type
 * nor its stream begins with a `$`: those are the store's own.
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
   * Strictly rising over all streams and greater than 0, but not dense: how many events lie between two positions, their difference does
   * not say. One that no event has is no place to read on from.
   */
  readonly position: number
}

export type ExpectedRevision = number | 'no_stream'

/** Bytes that the events of one append may have in all, data and metadata: what every store takes, EventStoreDB among them. */
export const appendBytesMax = 1_000_000

/** A page of a stream, from a revision on. */
export interface StreamPage {
  readonly from: number
  /** Events at the most. */
  readonly limit: number
  /** The page ends with the event that brings its texts, data and metadata, to so many characters, or soon after. */
  readonly chars?: number
}

/** The page size for reading a whole stream, so that a large one is folded page by page and never in memory as a whole. */
export const pageOfStream = { limit: 500, chars: 512 * 1024 } as const

/** Whether the stream may have more than a page of it. */
export function mayGoOn(
  { limit, chars }: Pick<StreamPage, 'limit' | 'chars'>,
  events: readonly Pick<NewEvent, 'data' | 'metadata'>[],
): boolean {
  return events.length >= limit || (chars !== undefined && charsOf(events) >= chars)
}

/** Characters of the texts of events. */
export function charsOf(events: readonly Pick<NewEvent, 'data' | 'metadata'>[]): number {
  return events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0)
}

export interface Append {
  readonly stream: string
  readonly events: readonly NewEvent[]
  /** The revision of the last event the writer has seen. */
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

/** Matching events in order, and how far the log was searched: up to `position` none is missing. */
export interface Excerpt {
  readonly events: readonly RecordedEvent[]
  readonly position: number
}

export interface EventStore {
  /**
   * Appends all events or none, and settles when they are on disk. The same ids at the same expected revision again succeed
   * with the first answer. Throws `Failure` `unavailable` when the store cannot write or the outcome is unknown: sending the
   * very same append again is then always right.
   */
  readonly append: (append: Append) => Promise<Appended | WrongRevision>
  /**
   * Whether appends go through, as far as is known: false from one that failed until the store has found by itself, without one, that
   * it can write again.
   */
  readonly takesAppends: () => boolean
  /** The events of a page, oldest first; none when the stream does not exist. */
  readonly readStream: (stream: string, page: StreamPage) => Promise<readonly RecordedEvent[]>
  /**
   * What has come to a stream since somebody knew all of it up to position `known`: the events of a page, oldest first. Finds whatever was acknowledged to anybody before the call, in one question to the store, or in none where it is
   * known that nothing was written at all.
   */
  readonly readNews: (
    stream: string,
    page: StreamPage & { readonly known: number },
  ) => Promise<Excerpt>
  /** Up to `limit` events after position `after`, in order. */
  readonly readAll: (page: {
    readonly after: number
    readonly limit: number
  }) => Promise<readonly RecordedEvent[]>
  /** The last `limit` events of the log, or of one stream, in order. */
  readonly readTail: (limit: number, stream?: string) => Promise<readonly RecordedEvent[]>
  /**
   * Events after `after`, in order and in bounded batches, then those to come, until `signal` is aborted; an outage of the store is
   * waited out. Throws `Failure` `unavailable` when the log has no event at `after` (0 is before the first one).
   */
  readonly follow: (after: number, signal: AbortSignal) => AsyncIterable<readonly RecordedEvent[]>
  /**
   * Like `follow`, with only the events of streams whose names begin with one of `prefixes`, and how far the log has been passed: an
   * excerpt without events says that what has come is of other streams.
   */
  readonly followStreams: (
    prefixes: readonly string[],
    after: number,
    signal: AbortSignal,
  ) => AsyncIterable<Excerpt>
  /** The position of the last event that `follow` hands out, 0 when there is none. */
  readonly head: () => Promise<number>
  /** Finishes the appends under way and closes. */
  readonly close: () => Promise<void>
}
