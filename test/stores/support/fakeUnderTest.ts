/** The event store on a fake EventStoreDB, both ended when the test is over. */

import { onTestFinished } from 'vitest'
import type { EventStore } from '../../../src/stores/eventStore.ts'
import {
  type EventStoreDbOptions,
  openEventStoreDb,
} from '../../../src/stores/eventstoredb/openEventStoreDb.ts'
import {
  type FakeEventStoreDb,
  type FakeServerOptions,
  startFakeEventStoreDb,
} from '../../support/eventStoreDb/fakeServer.ts'

/** Unless it is given a log, it has in it what a stream of somebody else has left that was deleted for good. */
export async function fakeForTest(options: FakeServerOptions = {}): Promise<FakeEventStoreDb> {
  const fake = await startFakeEventStoreDb(options)
  if (!options.log) fake.log.tombstone('others-1')
  onTestFinished(fake.stop)
  return fake
}

export async function openOn(
  { url }: Pick<FakeEventStoreDb, 'url'>,
  options: Partial<EventStoreDbOptions> = {},
): Promise<EventStore> {
  const store = await openEventStoreDb({ url, ...options })
  onTestFinished(() => store.close())
  return store
}
