/** The fake EventStoreDB as a process of its own: prints its connection string, and serves until it is ended. */

import { startFakeEventStoreDb } from './fakeServer.ts'

const { url } = await startFakeEventStoreDb()
process.stdout.write(`${url}\n`)
