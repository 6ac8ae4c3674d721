/**
 * A part of a server's log that looks like a log of its own: what others have written, before and meanwhile, is not in
 * it.
 */

import type { Append, EventStore, RecordedEvent } from '../../src/stores/eventStore.ts'

export interface Scope {
  /** What the names of its streams begin with on the server. */
  readonly prefix: string
  /** Where the log ended before it was begun. */
  readonly base: number
}

export function scopedEventStore(store: EventStore, { prefix, base }: Scope): EventStore {
  const outside = (stream: string) => (stream === '' ? '' : `${prefix}${stream}`)
  const isOwn = ({ stream }: RecordedEvent) => stream.startsWith(prefix)
  const inside = (event: RecordedEvent): RecordedEvent => ({
    ...event,
    stream: event.stream.slice(prefix.length),
  })
  const own = (events: readonly RecordedEvent[]) => events.filter(isOwn).map(inside)
  const from = (after: number) => (after === 0 ? base : after)

  return {
    ...store,
    append: (append: Append) => {
      const stream = append.stream.startsWith('$') ? append.stream : outside(append.stream)
      return store.append({ ...append, stream })
    },
    readStream: async (stream, page) => own(await store.readStream(outside(stream), page)),
    readNewEvents: async (stream, page) => {
      const { events, position } = await store.readNewEvents(outside(stream), page)
      return { events: own(events), position }
    },
    readAll: async ({ after, limit }) => own(await store.readAll({ after: from(after), limit })),
    readTail: async (limit, stream) =>
      own(await store.readTail(limit, stream === undefined ? stream : outside(stream))),
    follow: async function* (after, signal) {
      for await (const batch of store.follow(from(after), signal)) {
        const events = own(batch)
        if (events.length > 0) yield events
      }
    },
    followStreams: async function* (prefixes, after, signal) {
      const wanted = prefixes.map(outside)
      for await (const excerpt of store.followStreams(wanted, from(after), signal)) {
        yield { ...excerpt, events: own(excerpt.events) }
      }
    },
    head: async () => {
      const head = await store.head()
      return head <= base ? 0 : head
    },
  }
}
