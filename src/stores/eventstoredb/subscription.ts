/** Subscribes once to the whole log of EventStoreDB, and yields its events in batches. */

import { charsOf, type RecordedEvent } from '../eventStore.ts'
import type { Client } from './eventStoreDbConnection.ts'
import type { ReadResp, ReadStream } from './grpcCalls.ts'
import type { Pace } from './logConnection.ts'
import { buildSubscriptionRequest, parseRecordedEvent } from './protocolMessages.ts'

interface SubscriptionOptions extends Pick<Pace, 'confirmMs' | 'silenceMs'> {
  /** A position, 0 for the beginning of the log. */
  readonly after: number
  readonly signal: AbortSignal
  /** Whether the log has more, asked in silence. */
  readonly isStuck: () => Promise<boolean>
}

/** The server did not confirm the subscription: its connection may be dead. */
export class UnconfirmedError extends Error {}

/** Most events and characters of one batch; then the server has to wait until the batch before was handled. */
const batchMax = 500
const batchCharsMax = 1024 * 1024

/** What has come of a subscription and was not taken yet. */
interface Inbox {
  events: RecordedEvent[]
  chars: number
  /** Messages received since the beginning. */
  received: number
  isOver: boolean
  failure: unknown
  /** Resumes the reader of the inbox. */
  wake: () => void
}

/**
 * The batches of a subscription, the server's own events among them. Ends when the server ends the call (the caller then subscribes
 * anew), or when `signal` is aborted. Throws what the call fails with.
 */
export async function* subscribe(
  client: Pick<Client, 'openRead'>,
  options: SubscriptionOptions,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const { after, confirmMs, signal } = options
  const stream = await client.openRead(buildSubscriptionRequest(after), { findMs: confirmMs })
  const inbox: Inbox = {
    ...{ events: [], chars: 0, received: 0 },
    ...{ isOver: false, failure: undefined, wake: () => undefined },
  }
  fill(inbox, stream)
  const stopWatching = watchSilence(inbox, options)
  const leave = () => end(inbox)
  signal.addEventListener('abort', leave)
  try {
    while (!signal.aborted) {
      if (inbox.events.length > 0) {
        yield take(inbox, stream)
      } else if (inbox.isOver) {
        if (inbox.failure) throw inbox.failure
        return
      } else {
        await new Promise<void>((resolve) => {
          inbox.wake = resolve
        })
      }
    }
  } finally {
    signal.removeEventListener('abort', leave)
    stopWatching()
    stream.cancel()
  }
}

function end(inbox: Inbox, failure?: unknown): void {
  if (!inbox.isOver) inbox.failure = failure
  inbox.isOver = true
  inbox.wake()
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
  stream.on('end', () => end(inbox))
}

function take(inbox: Inbox, stream: ReadStream): readonly RecordedEvent[] {
  const { events } = inbox
  Object.assign(inbox, { events: [], chars: 0 })
  stream.resume()
  return events
}

/** Ends a call that is silent although it should not be; the result stops watching. */
function watchSilence(inbox: Inbox, { confirmMs, silenceMs, isStuck }: SubscriptionOptions) {
  const confirming = setTimeout(() => {
    if (inbox.received > 0) return
    end(inbox, new UnconfirmedError(`EventStoreDB has said nothing in ${confirmMs} ms`))
  }, confirmMs)
  let before = 0
  const check = async (): Promise<void> => {
    const isSilent = inbox.received === before && inbox.events.length === 0
    before = inbox.received
    if (!isSilent || !(await isStuck())) return
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
