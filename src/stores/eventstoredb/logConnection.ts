/** Connects to the log of EventStoreDB: replaces a dead client, retries reads, tracks the end. */

import { finished } from 'node:stream/promises'
import { Failure } from '../../domain/failure.ts'
import { type EventStoreDbConnectionOptions, parseEventStoreUrl } from '../connectionStrings.ts'
import { charsOf, type RecordedEvent } from '../eventStore.ts'
import {
  grpcCodeOf,
  grpcCodes,
  isAccessDenied,
  isInvalidPosition,
  logClosedFailure,
  logDamagedFailure,
  logUnavailableFailure,
  serverExceptionName,
} from './eventStoreDbErrors.ts'
import {
  type GrpcCalls,
  openGrpcCalls,
  type ReadReq,
  type ReadResp,
  type ReadStream,
} from './grpcCalls.ts'
import { buildReadLogRequest, isSystemEvent, parseRecordedEvent } from './protocolMessages.ts'
import { createAppendSender, type SendAppend } from './sendAppends.ts'

const usualPace = {
  /** How long a start waits for the server. */
  startMs: 30_000,
  /** Time before that wait is reported. */
  untoldMs: 300,
  /** Time limit of one attempt to read, and the attempts before the error is left to the caller. */
  readMs: 5_000,
  reads: 3,
  /**
   * Time limit of one attempt to append, which the server gives up by itself after two to three seconds, and the
   * attempts before the append is left to the caller. At most 12 s in all, which is less than a request has; an
   * election, which refuses at once, takes up to 3 s.
   */
  attemptMs: 3_500,
  attempts: 8,
  /** Time without an answer after which the stream is read for the events of the append. */
  lookMs: 200,
  /** From then on no attempt to append is begun. */
  againMs: 8_500,
  /** Time between two probes whether appends succeed again. */
  probeEveryMs: 5_000,
  /** How long the server may take to confirm a subscription. */
  confirmMs: 5_000,
  /** Silence of a subscription after which it is asked whether the log has more: then the call has ended unnoticed. */
  silenceMs: 10_000,
  /** The first pause before another attempt to append or a new subscription, and the longest. */
  backoffMs: 50,
  backoffMaxMs: 5_000,
}

/** Time limits, pauses and attempts of every call. */
type Pace = Readonly<typeof usualPace>

export interface LogConnectionOptions {
  /** A connection string without mistakes, see `findEventStoreUrlMistakes`. */
  readonly url: string
  readonly pace?: Partial<Pace>
  /** Whether an event is of this service; all are unless given. Others, and the server's own, are passed over. */
  readonly isOwn?: (event: RecordedEvent) => boolean
}

export interface Client extends GrpcCalls {
  readonly send: SendAppend
}

/**
 * The events of the answer in its order, or of its beginning when their texts are longer than `charsMax`; none for a
 * stream that does not exist. Reads again when the connection was lost. Throws `unavailable`.
 */
type PageReader = (request: ReadReq, charsMax?: number) => Promise<readonly RecordedEvent[]>

export type LogConnection = ReturnType<typeof openLogConnection>

/** Sends nothing before the first use. */
export function openLogConnection({ url, pace: given, isOwn = () => true }: LogConnectionOptions) {
  const pace: Pace = { ...usualPace, ...given }
  const clients = shareClient(parseEventStoreUrl(url))
  const readPage: PageReader = (request, charsMax = Number.POSITIVE_INFINITY) =>
    readWithRetries(clients, pace, { request, charsMax })
  const isForeign = (event: RecordedEvent): boolean => isSystemEvent(event) || !isOwn(event)
  return {
    ...clients,
    pace,
    readPage,
    /** Whether an event is the server's own or another program's. */
    isForeign,
    /** The event at exactly this position, if the log has one. */
    eventAt: async (position: number): Promise<RecordedEvent | undefined> => {
      const page = { from: position, direction: 'forwards', limit: 1 } as const
      const [found] = await readPage(buildReadLogRequest(page))
      return found?.position === position ? found : undefined
    },
    end: createLogEndTracker({ readPage, isForeign }),
  }
}

/** Shares one client, and replaces it when it stops answering. */
function shareClient(address: EventStoreDbConnectionOptions) {
  let current: Client | undefined
  let closed = false
  let generation = 0
  let avoided: string | undefined
  const ending = new Set<Promise<void>>()

  /** Ends the calls of this client, if it is still the current one: the next call is made by a new one. */
  const discardClient = (client: Client | undefined): void => {
    if (!client || client !== current) return
    avoided = client.server()
    const ended = client.dispose().finally(() => ending.delete(ended))
    ending.add(ended)
    current = undefined
  }
  return {
    discardClient,
    /** The current client, made when there is none. Throws `unavailable` when the connection is closed. */
    client: (): Client => {
      if (closed) throw logClosedFailure()
      if (current) return current
      const calls = openGrpcCalls(address, { number: generation, avoided })
      generation += 1
      const send = createAppendSender(calls, () => discardClient(client))
      const client: Client = { ...calls, send }
      current = client
      return client
    },
    /** Takes no more calls, and ends those in flight. */
    close: async (): Promise<void> => {
      closed = true
      discardClient(current)
      await Promise.all(ending)
    },
  }
}

async function readWithRetries(
  { client: openClient, discardClient }: ReturnType<typeof shareClient>,
  { readMs, reads }: Pace,
  { request, charsMax }: { readonly request: ReadReq; readonly charsMax: number },
): Promise<readonly RecordedEvent[]> {
  for (let attempt = 1; ; attempt += 1) {
    const client = openClient()
    const page: Page = { events: [], chars: 0, charsMax, isAnswered: false, fault: undefined }
    try {
      return await readOnce(page, await client.openRead(request, { readMs, findMs: readMs }))
    } catch (error) {
      throwIfFinal(error)
      if (!page.isAnswered && isSilence(error)) discardClient(client)
      if (attempt >= reads) throw logUnavailableFailure(error)
    }
  }
}

/** Throws for an error that another attempt does not fix. */
function throwIfFinal(error: unknown): void {
  if (error instanceof Failure) throw error
  if (isAccessDenied(error)) throw logUnavailableFailure(error)
  if (serverExceptionName(error) === 'stream-deleted') {
    throw logDamagedFailure('a stream of the service has been deleted for good')
  }
  if (isInvalidPosition(error)) {
    throw logDamagedFailure('it has no event at a position it had')
  }
}

/** A server that was not found or did not answer; after other errors the client reconnects by itself. */
function isSilence(error: unknown): boolean {
  return grpcCodeOf(error) === grpcCodes.deadlineExceeded || grpcCodeOf(error) === undefined
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

/** Page sizes from the end backwards: mostly the first event is of this service. */
const pages = [1, 32, 512]

interface LogReader {
  readonly readPage: PageReader
  readonly isForeign: (event: RecordedEvent) => boolean
}

function createLogEndTracker(reader: LogReader) {
  let known = 0
  /** What was found last: events before it need no second look. */
  let before: LogEnd = { end: 0, head: 0 }
  /** To be called with every position that an append or a read has shown. */
  const note = (position: number): void => {
    known = Math.max(known, position)
  }
  return {
    note,
    /** The last known position: everything up to it is in the log, and can be read. */
    known: () => known,
    /** The position of the last event that is not foreign, 0 when there is none. */
    find: async (): Promise<number> => {
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
  }
}

interface LogEnd {
  /** The position of the last event, also of a foreign one. */
  readonly end: number
  /** Of the last one that is not foreign, or that is at most at the position given; 0 without any. */
  readonly head: number
}

async function findLast({ readPage, isForeign }: LogReader, until: number): Promise<LogEnd> {
  let from: number | 'end' = 'end'
  let end: number | undefined
  for (let page = 0; ; page += 1) {
    const limit = pages[Math.min(page, pages.length - 1)] ?? 1
    const events: readonly RecordedEvent[] = await readPage(
      buildReadLogRequest({ from, direction: 'backwards', limit }),
    )
    end ??= events[0]?.position ?? 0
    const last = events.find((one) => one.position <= until || !isForeign(one))
    if (last || events.length < limit) return { end, head: last?.position ?? 0 }
    from = events.at(-1)?.position ?? 'end'
  }
}
