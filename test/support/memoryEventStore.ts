/**
 * An event store in memory, for tests of what is built on the port: it keeps every promise of it, and no more.
 * Positions lie at least two apart, and one that it has not given is refused, as EventStoreDB does.
 */

import { checkAppend } from '../../src/stores/checkAppend.ts'
import { storeUnavailable } from '../../src/stores/embedded/databaseErrors.ts'
import {
  type Append,
  type EventStore,
  mayHaveMore,
  type RecordedEvent,
  type StreamPage,
} from '../../src/stores/eventStore.ts'

export interface MemoryEventStore extends EventStore {
  readonly log: RecordedEvent[]
  /** Runs before each append; may throw as a store would, or append something else first. */
  before: ((append: Append) => Promise<void> | void) | undefined
  /** Runs after each append, before its answer; may throw as when an answer is lost. */
  after: ((append: Append) => Promise<void> | void) | undefined
}

/** Over a log of its own, or over one that another store has written. */
export function memoryEventStore(log: RecordedEvent[] = []): MemoryEventStore {
  const streamOf = (stream: string) => log.filter((event) => event.stream === stream)
  const following = openFollowing(log)
  const store: MemoryEventStore = {
    log,
    before: undefined,
    after: undefined,
    append: async (append) => {
      following.refuseClosed()
      checkAppend(append)
      await store.before?.(append)
      const answer = appendTo(log, append)
      following.tell()
      await store.after?.(append)
      return answer
    },
    isWritable: () => true,
    readStream: async (stream, page) => {
      following.refuseClosed()
      return pageOf(streamOf(stream), page)
    },
    readNewEvents: async (stream, { known, ...page }) => {
      const events = pageOf(streamOf(stream), page)
      const end = mayHaveMore(page, events) ? (events.at(-1)?.position ?? known) : headOf(log)
      return { events, position: Math.max(known, end) }
    },
    readAll: async ({ after, limit }) => {
      const from = indexAfter(log, after)
      return log.slice(from, from + limit)
    },
    readTail: async (limit, stream) =>
      (stream === undefined ? log : streamOf(stream)).slice(-limit),
    follow: async function* (position, signal) {
      for await (const { from, to } of following.ranges(position, signal)) yield log.slice(from, to)
    },
    followStreams: async function* (prefixes, position, signal) {
      for await (const events of store.follow(position, signal)) {
        const wanted = events.filter(({ stream }) =>
          prefixes.some((prefix) => stream.startsWith(prefix)),
        )
        yield { events: wanted, position: events.at(-1)?.position ?? position }
      }
    },
    head: async () => headOf(log),
    close: async () => following.close(),
  }
  return store
}

function headOf(log: readonly RecordedEvent[]): number {
  return log.at(-1)?.position ?? 0
}

/** The index of the first event after a position. Throws for a position of no event, as EventStoreDB does. */
function indexAfter(log: readonly RecordedEvent[], position: number): number {
  const at = log.findIndex((event) => event.position === position)
  if (at >= 0 || position === 0) return at + 1
  throw storeUnavailable('event log', new Error(`no event is at position ${position}`))
}

/** Events of one batch, at the most. */
const batchMax = 500

interface Following {
  /** The indexes between which the log has grown for a follower, until it leaves. Throws like `follow`. */
  readonly ranges: (
    position: number,
    signal: AbortSignal,
  ) => AsyncGenerator<{ readonly from: number; readonly to: number }, void, undefined>
  /** Something was appended. */
  readonly tell: () => void
  readonly close: () => void
  /** Throws `unavailable` once the store is closed. */
  readonly refuseClosed: () => void
}

function openFollowing(log: readonly RecordedEvent[]): Following {
  const waiting = new Set<() => void>()
  let closed = false
  const tell = (): void => {
    for (const wake of [...waiting]) wake()
  }
  const refuseClosed = (): void => {
    if (closed) throw storeUnavailable('event log', new Error('the event log is closed'))
  }
  const change = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = () => {
        waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      if (signal.aborted || closed) return resolve()
      waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  return {
    ranges: async function* (position, signal) {
      let from = indexAfter(log, position)
      while (!signal.aborted) {
        refuseClosed()
        if (log.length > from) {
          const to = Math.min(log.length, from + batchMax)
          yield { from, to }
          from = to
        } else await change(signal)
      }
    },
    tell,
    close: () => {
      closed = true
      tell()
    },
    refuseClosed,
  }
}

function pageOf(events: readonly RecordedEvent[], { from, ...page }: StreamPage) {
  const wanted: RecordedEvent[] = []
  for (const event of events.slice(from)) {
    if (mayHaveMore(page, wanted)) break
    wanted.push(event)
  }
  return wanted
}

function appendTo(log: RecordedEvent[], { stream, events, expected }: Append) {
  const present = log.filter((event) => event.stream === stream)
  const current = present.length - 1
  const wanted = expected === 'no_stream' ? -1 : expected
  const following = present.slice(wanted + 1)
  const known = events.every((event, index) => following[index]?.id === event.id)
  const last = following[events.length - 1]
  if (wanted < current && known && last) {
    return { ok: true as const, revision: last.revision, position: last.position }
  }
  if (wanted !== current) {
    return { ok: false as const, actual: current < 0 ? ('no_stream' as const) : current }
  }
  for (const [index, event] of events.entries()) {
    log.push({ ...event, stream, revision: wanted + 1 + index, position: positionAfter(log) })
  }
  return { ok: true as const, revision: wanted + events.length, position: headOf(log) }
}

/** A step of 2 to 98, which looks like chance and is the same on every run. */
function positionAfter(log: readonly RecordedEvent[]): number {
  return headOf(log) + 2 + ((log.length * 7_919) % 97)
}
