/**
 * Where the services of a test run keep what they know: in their folders, or on stand-ins for servers, as `TEST_LOG`
 * says: `fake` and `memory` for the log alone, `servers` for a fake log and the MongoDB in MONGODB_URL.
 */

import { randomUUID } from 'node:crypto'

export interface StoreUrls {
  readonly eventStoreUrl?: string
  readonly mongoDbUrl?: string
}

const known = new Map<string, Promise<StoreUrls>>()

/** The connection strings of the folder's stores, the same each time; none where it keeps all itself. */
export function storesForTest(folder: string): Promise<StoreUrls> {
  const urls = known.get(folder) ?? newStores()
  known.set(folder, urls)
  return urls
}

/** Removes what the folder's services kept on a MongoDB. */
export async function dropStoresOfTest(folder: string): Promise<void> {
  const { mongoDbUrl: url } = (await known.get(folder)) ?? {}
  if (url === undefined) return
  const { dropDatabase } = await import('../servers/newDatabase.ts')
  await dropDatabase(url)
}

async function newStores(): Promise<StoreUrls> {
  switch (process.env['TEST_LOG']) {
    case undefined:
      return {}
    case 'memory':
      // `memoryLogs.ts` stands for EventStoreDB then
      return { eventStoreUrl: `esdb://memory-${randomUUID()}` }
    case 'servers':
      return { eventStoreUrl: await fakeUrl(), mongoDbUrl: await mongoDbUrl() }
    default:
      return { eventStoreUrl: await fakeUrl() }
  }
}

async function fakeUrl(): Promise<string> {
  const { startFakeEventStoreDb } = await import('./eventStoreDb/fakeServer.ts')
  const { writeForeignEvents } = await import('./eventStoreDb/fakeLog.ts')
  const { log, url } = await startFakeEventStoreDb()
  writeForeignEvents(log)
  return url
}

async function mongoDbUrl(): Promise<string> {
  const { newDatabaseUrl } = await import('../servers/newDatabase.ts')
  return newDatabaseUrl()
}
