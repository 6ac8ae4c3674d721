/** Reads complete pages of the EventStoreDB log, with retries, and tracks the log's end. */

import { finished } from 'node:stream/promises'
import { Failure } from '../../domain/failure.ts'
import { charsOf, type RecordedEvent } from '../eventStore.ts'
import { withTimeout } from '../withTimeout.ts'
import type { Client, Connection } from './eventStoreDbConnection.ts'
import type { ReadReq, ReadResp, ReadStream } from './grpcCalls.ts'
import {
  codes,
  damagedLog,
  eventLogUnavailable,
  exceptionOf,
  grpcCodeOf,
  isDenied,
} from './protocolErrors.ts'
import { buildReadLogRequest, isSystemEvent, parseRecordedEvent } from './protocolMessages.ts'

export interface ReadPace {
  /** Time limit of one attempt. */
  readonly readMs: number
  /** Attempts before the error is left to the caller. */
  readonly reads: number
}

export const defaultReadPace: ReadPace = Object.freeze({ readMs: 5_000, reads: 3 })

/**
 * The events of the answer in its order, or of its beginning when their texts are longer than `charsMax`; none for a stream that does
 * not exist. Throws `unavailable`.
 */
export type PageReader = (request: ReadReq, charsMax?: number) => Promise<readonly RecordedEvent[]>

/** Reads pages, each again when the connection was lost. */
export function createPageReader(connection: Connection, pace: ReadPace): PageReader {
  return (request, charsMax = Number.POSITIVE_INFINITY) =>
    readWithRetries(connection, pace, { request, charsMax })
}

async function readWithRetries(
  connection: Connection,
  { readMs, reads }: ReadPace,
  { request, charsMax }: { readonly request: ReadReq; readonly charsMax: number },
): Promise<readonly RecordedEvent[]> {
  for (let attempt = 1; ; attempt += 1) {
    const client = connection.client()
    const page: Page = { events: [], chars: 0, charsMax, isAnswered: false, fault: undefined }
    try {
      return await readOnce(page, await openRead(client, { request, readMs, findMs: readMs }))
    } catch (error) {
      throwIfFinal(error)
      if (!page.isAnswered && isSilence(error)) connection.discardClient(client)
      if (attempt >= reads) throw eventLogUnavailable(error)
    }
  }
}

interface OpenRead {
  readonly request: ReadReq
  /** Time limit of the call; it goes on until it is cancelled when undefined. */
  readonly readMs?: number
  /** Time limit for finding the server: the client's own is too long. */
  readonly findMs: number
}

/** Rejects when no server was found in time; one that is found later gets no request. */
export function openRead(
  client: Pick<Client, 'openRead'>,
  { request, readMs, findMs }: OpenRead,
): Promise<ReadStream> {
  const opening = client.openRead(request, readMs)
  return withTimeout(opening, findMs, () => {
    opening.then((stream) => stream.cancel()).catch(() => undefined)
    return new Error(`no EventStoreDB was found in ${findMs} ms`)
  })
}

/** Throws for an error that another attempt does not fix. */
function throwIfFinal(error: unknown): void {
  if (error instanceof Failure) throw error
  if (isDenied(error)) throw eventLogUnavailable(error)
  if (exceptionOf(error) === 'stream-deleted') {
    throw damagedLog('a stream of the service has been deleted for good')
  }
  if (grpcCodeOf(error) === codes.invalidArgument) {
    throw damagedLog('it has no event at a position it had')
  }
}

/** A server that was not found or did not answer; after other errors the client reconnects by itself. */
function isSilence(error: unknown): boolean {
  return grpcCodeOf(error) === codes.deadlineExceeded || grpcCodeOf(error) === undefined
}

interface Page {
  readonly events: RecordedEvent[]
  readonly charsMax: number
  chars: number
  isAnswered: boolean
  /** Of an answer that cannot be used. */
  fault: unknown
}

async function readOnce(page: Page, stream: ReadStream): Promise<readonly RecordedEvent[]> {
  const isFull = () => page.chars >= page.charsMax
  stream.on('data', (response: ReadResp) => {
    page.isAnswered = true
    if (isFull() || page.fault !== undefined) return
    try {
      const event = parseRecordedEvent(response)
      if (event) {
        page.events.push(event)
        page.chars += charsOf([event])
      }
    } catch (error) {
      page.fault = error
    }
    if (isFull()) stream.cancel()
  })
  try {
    await finished(stream)
  } catch (error) {
    if (!isFull()) throw error
  }
  if (page.fault !== undefined) throw page.fault
  return page.events
}

export interface LogEndTracker {
  /** The position of the last event that is not the server's own, 0 when there is none. */
  readonly find: () => Promise<number>
  /** The last known position: everything up to it is in the log, and can be read. */
  readonly known: () => number
  /** To be called with every position that an append or a read has shown. */
  readonly note: (position: number) => void
}

/** Page sizes from the end backwards: mostly the first event is not the server's own. */
const pages = [1, 32, 512]

export function createLogEndTracker(reader: PageReader): LogEndTracker {
  let known = 0
  /** What was found last: events before it need no second look. */
  let before: Found = { end: 0, head: 0 }
  const note = (position: number): void => {
    known = Math.max(known, position)
  }
  return {
    find: async () => {
      const found = await findLast(reader, before.end)
      if (found.end < before.end) {
        // a log that is shorter than it was is read anew
        before = await findLast(reader, 0)
      } else {
        before = { end: found.end, head: found.head > before.end ? found.head : before.head }
      }
      note(before.head)
      return before.head
    },
    known: () => known,
    note,
  }
}

interface Found {
  /** The position of the last event, also of the server's own. */
  readonly end: number
  /** Of the last one that is not the server's own, or that is at most at the position given; 0 without any. */
  readonly head: number
}

async function findLast(reader: PageReader, until: number): Promise<Found> {
  let from: number | 'end' = 'end'
  let end: number | undefined
  for (let page = 0; ; page += 1) {
    const limit = pages[Math.min(page, pages.length - 1)] ?? 1
    const events: readonly RecordedEvent[] = await reader(
      buildReadLogRequest({ from, direction: 'backwards', limit }),
    )
    end ??= events[0]?.position ?? 0
    const last = events.find((one) => one.position <= until || !isSystemEvent(one))
    if (last || events.length < limit) return { end, head: last?.position ?? 0 }
    from = events.at(-1)?.position ?? 'end'
  }
}
