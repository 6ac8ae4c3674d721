/**
 * Stands for `src/stores/eventstoredb/openEventStoreDb.ts` where `TEST_LOG=memory`: the logs of this process, by their
 * connection strings.
 */

import type { EventStore, LogWitness } from '../../src/stores/eventStore.ts'
import type { EventStoreDb } from '../../src/stores/eventstoredb/openEventStoreDb.ts'
import { type MemoryEventStore, memoryEventStore } from './memoryEventStore.ts'

interface Named {
  readonly url: string
}

const stores = new Map<string, MemoryEventStore>()

/** The log of this name, empty at first, or as it was when it was closed. */
export async function openEventStoreDb({ url }: Named): Promise<EventStoreDb> {
  const store = memoryEventStore(stores.get(url)?.log)
  stores.set(url, store)
  const hasEvent = async ({ id, position }: LogWitness): Promise<boolean> =>
    store.log.some((event) => event.id === id && event.position === position)
  return { ...store, hasEvent }
}

/** The log of this name, which is open. */
export function joinEventStoreDb({ url }: Named): EventStore {
  const store = stores.get(url)
  if (!store) throw new Error(`no log ${url} is open`)
  return { ...store, close: async () => undefined }
}
