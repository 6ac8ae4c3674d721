/** Subscribes once to the whole log of EventStoreDB, and yields its events in batches. */

import type { Line } from './connection.ts'
import {
  createdMsOf,
  type LogPosition,
  type PlacedEvent,
  placedEventOf,
  subscriptionRequest,
} from './messages.ts'
import { openReadInTime } from './openReadInTime.ts'
import type { ReadResp, ReadStream } from './wire.ts'

export interface SubscriptionOptions {
  readonly after: LogPosition | undefined
  readonly signal: AbortSignal
  /** How long the server may take to say that it has begun. */
  readonly confirmMs: number
  /** After such a time without an event `isStuck` is asked whether there is one: then the call has ended without anybody noticing. */
  readonly silenceMs: number
  readonly isStuck: () => Promise<boolean>
  /** Told when the server has written an event, by its clock. */
  readonly onCreated: (ms: number) => void
}

/** The server did not confirm the subscription: its connection may be dead. */
export class UnconfirmedError extends Error {}

/** Most events and bytes of one batch; as many again are held while it is being handled, then the server has to wait. */
const batchMax = 500
const batchBytesMax = 1024 * 1024

/**
 * The batches of a subscription, the server's own events among them. Ends when the server ends the call, which is never what was meant
 * (the caller subscribes anew), or when `signal` is aborted. Throws what the call fails with.
 */
export async function* subscribe(
  line: Pick<Line, 'openRead'>,
  options: SubscriptionOptions,
): AsyncGenerator<readonly PlacedEvent[], void, undefined> {
  const request = subscriptionRequest(options.after)
  const stream = await openReadInTime(line, { request, findMs: options.confirmMs })
  const inbox = openInbox(stream, options)
  const leave = () => inbox.end()
  options.signal.addEventListener('abort', leave)
  try {
    while (!options.signal.aborted) {
      const batch = inbox.take()
      if (batch.length > 0) yield batch
      else if (inbox.isOver()) return inbox.throwFailure()
      else await inbox.change()
    }
  } finally {
    options.signal.removeEventListener('abort', leave)
    inbox.close()
  }
}

interface Inbox {
  /** What has come, at most a batch of it. */
  readonly take: () => readonly PlacedEvent[]
  /** Settles when something has come, or the call is over. */
  readonly change: () => Promise<void>
  readonly isOver: () => boolean
  readonly throwFailure: () => void
  readonly end: (error?: Error) => void
  readonly close: () => void
}

interface Held {
  readonly event: PlacedEvent
  readonly bytes: number
}

function openInbox(stream: ReadStream, options: SubscriptionOptions): Inbox {
  const held: Held[] = []
  let bytes = 0
  let over = false
  let failure: Error | undefined
  let wake = () => {}
  let heard = 0

  const end = (error?: Error): void => {
    if (!over) failure = error
    over = true
    wake()
  }
  const keep = (response: ReadResp): void => {
    heard += 1
    const event = placedEventOf(response)
    if (event) {
      const size = event.event.data.length + event.event.metadata.length
      held.push({ event, bytes: size })
      bytes += size
      options.onCreated(createdMsOf(response) ?? 0)
      if (held.length >= batchMax || bytes >= batchBytesMax) stream.pause()
    }
    wake()
  }
  const watch = openWatch({ ...options, heard: () => heard, isHeld: () => held.length > 0, end })
  stream.on('data', (response: ReadResp) => {
    try {
      keep(response)
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)))
    }
  })
  stream.on('error', end)
  stream.on('end', () => end())

  return {
    take: () => {
      const batch = held.splice(0)
      bytes = 0
      stream.resume()
      return batch.map(({ event }) => event)
    },
    change: () =>
      new Promise((resolve) => {
        wake = resolve
      }),
    isOver: () => over,
    throwFailure: () => {
      if (failure) throw failure
    },
    end,
    close: () => {
      watch.close()
      stream.cancel()
    },
  }
}

interface WatchOptions extends Pick<SubscriptionOptions, 'confirmMs' | 'silenceMs' | 'isStuck'> {
  /** How many messages have come. */
  readonly heard: () => number
  /** Whether there are events that nobody has taken yet. */
  readonly isHeld: () => boolean
  readonly end: (error: Error) => void
}

/** Ends a call that says nothing although it should. */
function openWatch(options: WatchOptions): { readonly close: () => void } {
  const { confirmMs, silenceMs, heard, isHeld, end } = options
  const confirming = setTimeout(() => {
    if (heard() === 0) end(new UnconfirmedError(`EventStoreDB has said nothing in ${confirmMs} ms`))
  }, confirmMs)
  let before = 0
  const look = async (): Promise<void> => {
    const isSilent = heard() === before && !isHeld()
    before = heard()
    if (!isSilent || !(await options.isStuck())) return
    if (heard() === before) end(new Error('EventStoreDB has stopped to deliver'))
  }
  const looking = setInterval(() => {
    // a log that cannot be asked cannot be followed either: the call will say so
    look().catch(() => undefined)
  }, silenceMs)
  return {
    close: () => {
      clearTimeout(confirming)
      clearInterval(looking)
    },
  }
}
