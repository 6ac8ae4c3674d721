/**
 * Where the services of a test run keep their logs: in their folders, or on a stand-in for a server, as `TEST_LOG`
 * says.
 */

import { randomUUID } from 'node:crypto'

const urls = new Map<string, Promise<string>>()

/**
 * The connection string of the log that belongs to the folder, the same each time; undefined where the folder keeps it.
 */
export function logForTest(folder: string): Promise<string> | undefined {
  const kind = process.env['TEST_LOG']
  if (kind === undefined) return undefined
  const known = urls.get(folder) ?? (kind === 'memory' ? memoryUrl() : fakeUrl())
  urls.set(folder, known)
  return known
}

/** `memoryLogs.ts` stands for EventStoreDB then. */
async function memoryUrl(): Promise<string> {
  return `esdb://memory-${randomUUID()}`
}

async function fakeUrl(): Promise<string> {
  const { startFakeEventStoreDb } = await import('./eventStoreDb/fakeServer.ts')
  const { writeForeignEvents } = await import('./eventStoreDb/fakeLog.ts')
  const { log, url } = await startFakeEventStoreDb()
  writeForeignEvents(log)
  return url
}
