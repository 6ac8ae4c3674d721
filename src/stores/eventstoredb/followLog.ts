/** Follows the log of EventStoreDB in batches, and resubscribes when a subscription ends. */

import { charsOf, type RecordedEvent } from '../eventStore.ts'
import { backOff } from '../retry.ts'
import {
  isAccessDenied,
  isDamagedLog,
  logClosedFailure,
  logDamagedFailure,
  logUnavailableFailure,
} from './eventStoreDbErrors.ts'
import type { ReadResp, ReadStream } from './grpcCalls.ts'
import type { Client, LogConnection } from './logConnection.ts'
import { buildSubscriptionRequest, parseRecordedEvent } from './protocolMessages.ts'

export interface FollowContext {
  readonly log: LogConnection
  /** Called with why a subscription has ended, once until events come again. */
  readonly onDrop?: ((reason: unknown) => void) | undefined
  /** Aborted when the store is closed. */
  readonly closed: AbortSignal
}

interface Mark {
  /** Of the event that was yielded last. */
  position: number
  id: string | undefined
  /**
   * Position of the event delivered last, also of a foreign one: the next subscription begins there, unless that led
   * nowhere.
   */
  seen: number
}

/**
 * The service's events after a position, in order and in bounded batches, then those to come, until `signal` is
 * aborted. Throws `unavailable` when the log has no event at the position, or another one than before, and when the
 * store is closed.
 */
export async function* followLog(
  { log, onDrop, closed }: FollowContext,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const until = AbortSignal.any([signal, closed])
  const mark: Mark = { position: after, id: undefined, seen: after }
  const backoff = { ...log.pace, signal: until, failures: 0 }
  while (!until.aborted) {
    const before = mark.seen
    let reason: unknown
    try {
      await verify(log, mark)
      for await (const events of subscribe(log, mark, until)) {
        backoff.failures = 0
        yield events
      }
    } catch (error) {
      reason = error
    }
    if (until.aborted) break
    throwIfFinal(reason)
    if (backoff.failures === 0) onDrop?.(reason)
    await backOff(backoff)
    // foreign events may be removed
    if (mark.seen === before) mark.seen = mark.position
  }
  if (!signal.aborted) throw logClosedFailure()
}

/** Throws for an error that a new subscription does not fix. */
function throwIfFinal(reason: unknown): void {
  if (isDamagedLog(reason)) throw reason
  if (isAccessDenied(reason)) throw logUnavailableFailure(reason)
}

/**
 * Refuses to go on where the log has no event, or another one than before: a server on an older copy would silently
 * skip new events until it has come as far again.
 */
async function verify(
  { eventAt, isForeign }: LogConnection,
  { position, id }: Mark,
): Promise<void> {
  if (position === 0) return
  const found = await eventAt(position)
  if (!found || isForeign(found)) {
    throw logDamagedFailure(`it has no event at position ${position}, up to which it was followed`)
  }
  if (id !== undefined && found.id !== id) {
    throw logDamagedFailure(`it has another event at position ${position} than it had`)
  }
}

/** Most events and characters of one batch; then the server has to wait until the batch before was handled. */
const batchMax = 2_000
const batchCharsMax = 4 * 1024 * 1024

/** What has come of a subscription and was not taken yet. */
interface Inbox {
  events: RecordedEvent[]
  chars: number
  /** Messages received since the beginning. */
  received: number
  /** Why no more come; undefined while some may. */
  end: unknown
  /** Resumes the reader of the inbox. */
  wake: () => void
}

/** The new events of one subscription, until `signal` is aborted; throws why it ended otherwise. */
async function* subscribe(
  log: LogConnection,
  mark: Mark,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const client = log.client()
  const request = buildSubscriptionRequest(mark.seen)
  const stream = await client.openRead(request, { findMs: log.pace.confirmMs })
  const inbox: Inbox = { events: [], chars: 0, received: 0, end: undefined, wake: () => undefined }
  fill(inbox, stream)
  const stopWatching = watchSilence(inbox, { log, mark, client })
  const wake = () => inbox.wake()
  signal.addEventListener('abort', wake)
  try {
    while (!signal.aborted) {
      if (inbox.events.length > 0) {
        const events = takeAll(inbox, stream).filter((event) => moveMark(log, mark, event))
        if (events.length === 0) continue
        log.end.note(mark.position)
        yield events
      } else if (inbox.end !== undefined) {
        throw inbox.end
      } else {
        await new Promise<void>((resolve) => {
          inbox.wake = resolve
        })
      }
    }
  } finally {
    signal.removeEventListener('abort', wake)
    stopWatching()
    stream.cancel()
  }
}

function fill(inbox: Inbox, stream: ReadStream): void {
  stream.on('data', (response: ReadResp) => {
    inbox.received += 1
    try {
      const event = parseRecordedEvent(response)
      if (event) {
        inbox.events.push(event)
        inbox.chars += charsOf([event])
      }
    } catch (error) {
      end(inbox, error)
    }
    if (inbox.events.length >= batchMax || inbox.chars >= batchCharsMax) stream.pause()
    inbox.wake()
  })
  stream.on('error', (error) => end(inbox, error))
  stream.on('end', () => end(inbox, new Error('EventStoreDB has ended the subscription')))
}

function end(inbox: Inbox, reason: unknown): void {
  inbox.end ??= reason
  inbox.wake()
}

function takeAll(inbox: Inbox, stream: ReadStream): readonly RecordedEvent[] {
  const { events } = inbox
  Object.assign(inbox, { events: [], chars: 0 })
  stream.resume()
  return events
}

/** Moves the mark; whether the event is one to yield: foreign ones and those delivered before are not. */
function moveMark({ isForeign }: LogConnection, mark: Mark, event: RecordedEvent): boolean {
  mark.seen = event.position
  if (isForeign(event) || event.position <= mark.position) return false
  mark.id = event.id
  mark.position = event.position
  return true
}

interface Subscription {
  readonly log: LogConnection
  readonly mark: Mark
  readonly client: Client
}

/** Ends a call that is silent although it should not be; the result stops watching. */
function watchSilence(inbox: Inbox, { log, mark, client }: Subscription): () => void {
  const { confirmMs, silenceMs } = log.pace
  const confirming = setTimeout(() => {
    if (inbox.received > 0) return
    end(inbox, new Error(`EventStoreDB has said nothing in ${confirmMs} ms`))
    // its connection may be dead
    log.discardClient(client)
  }, confirmMs)
  let before = 0
  const check = async (): Promise<void> => {
    const isSilent = inbox.received === before && inbox.events.length === 0
    before = inbox.received
    if (!isSilent || (await log.end.find()) <= mark.position) return
    if (inbox.received === before) end(inbox, new Error('EventStoreDB has stopped to deliver'))
  }
  const checking = setInterval(() => {
    // a log that cannot be read cannot be followed either: the call itself fails then
    check().catch(() => undefined)
  }, silenceMs)
  return () => {
    clearTimeout(confirming)
    clearInterval(checking)
  }
}
