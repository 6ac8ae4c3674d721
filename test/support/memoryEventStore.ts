/** An event store in memory, for tests of what is built on the port; the real ones have their own suites. */

import {
  type Append,
  type EventStore,
  mayGoOn,
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

export function memoryEventStore(): MemoryEventStore {
  const log: RecordedEvent[] = []
  const streamOf = (stream: string) => log.filter((event) => event.stream === stream)
  const store: MemoryEventStore = {
    log,
    before: undefined,
    after: undefined,
    append: async (append) => {
      await store.before?.(append)
      const answer = appendTo(log, append)
      await store.after?.(append)
      return answer
    },
    takesAppends: () => true,
    readStream: async (stream, page) => pageOf(streamOf(stream), page),
    readNews: async (stream, { known, ...page }) => {
      const events = pageOf(streamOf(stream), page)
      const end = mayGoOn(page, events) ? (events.at(-1)?.position ?? known) : log.length
      return { events, position: Math.max(known, end) }
    },
    readAll: async ({ after, limit }) =>
      log.filter((event) => event.position > after).slice(0, limit),
    readTail: async (limit) => log.slice(-limit),
    follow: async function* (after) {
      yield log.filter((event) => event.position > after)
    },
    followStreams: async function* (prefixes, after) {
      const events = log.filter(
        ({ position, stream }) =>
          position > after && prefixes.some((prefix) => stream.startsWith(prefix)),
      )
      yield { events, position: log.length }
    },
    head: async () => log.length,
    close: async () => undefined,
  }
  return store
}

function pageOf(events: readonly RecordedEvent[], { from, ...page }: StreamPage) {
  const wanted: RecordedEvent[] = []
  for (const event of events.slice(from)) {
    if (mayGoOn(page, wanted)) break
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
    log.push({ ...event, stream, revision: wanted + 1 + index, position: log.length + 1 })
  }
  return { ok: true as const, revision: wanted + events.length, position: log.length }
}
