/** Follows a store until it has handed out so many events. */

import type { EventStore, RecordedEvent } from '../../../src/stores/eventStore.ts'
import { abortWhenNeverComing } from '../../support/eventually.ts'

/** The first `count` events after a position, with a stop at the end and a limit to the wait. */
export async function followed(
  store: Pick<EventStore, 'follow'>,
  after: number,
  count: number,
): Promise<RecordedEvent[]> {
  const stop = new AbortController()
  const stopLimit = abortWhenNeverComing(stop)
  const events: RecordedEvent[] = []
  for await (const batch of store.follow(after, stop.signal)) {
    events.push(...batch)
    if (events.length >= count) break
  }
  stopLimit()
  stop.abort()
  return events
}
