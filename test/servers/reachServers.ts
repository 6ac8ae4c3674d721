/** Before anything is tested: a run without a server must not look like one that went well. */

import { eventStoreUrlMistakes } from '../../src/stores/eventStoreUrl.ts'
import { openEventStoreDb } from '../../src/stores/eventstoredb/openEventStoreDb.ts'

export function setup(): Promise<void> {
  return reachServers(process.env)
}

/** Throws an error whose message says what to do. */
export async function reachServers(environment: NodeJS.ProcessEnv): Promise<void> {
  const { EVENTSTORE_URL: url, MONGODB_URL: mongo } = environment
  if (!url && !mongo) {
    throw new Error('Set EVENTSTORE_URL to the EventStoreDB that is to be tested.')
  }
  if (mongo) throw new Error('MONGODB_URL cannot be tested: this version keeps nothing in MongoDB.')
  const [mistake] = eventStoreUrlMistakes(url ?? '')
  if (mistake !== undefined) throw new Error(`EVENTSTORE_URL ${mistake}`)
  const store = await openEventStoreDb({ url: url ?? '' })
  await store.close()
}
