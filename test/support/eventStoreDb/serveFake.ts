/** The fake EventStoreDB as a process of its own: prints its connection string, and serves until it or its input is ended. */

import { startFakeEventStoreDb } from './fakeServer.ts'

const { url } = await startFakeEventStoreDb()
process.stdout.write(`${url}\n`)
process.stdin.resume().on('end', () => process.exit(0))
