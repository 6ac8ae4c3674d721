/**
 * The fake EventStoreDB as a process of its own: prints its connection string, and serves until it is ended, or who has
 * forked it is gone.
 */

import { startFakeEventStoreDb } from './fakeServer.ts'

const { url } = await startFakeEventStoreDb()
process.stdout.write(`${url}\n`)
process.on('disconnect', () => process.exit(0))
