/**
 * The fake EventStoreDB as a process of its own, so that it has a core where others have theirs; answers with its
 * connection string.
 */

import { startFakeEventStoreDb } from '../test/support/eventStoreDb/fakeServer.ts'
import { answerMessages } from './childProcess.ts'

answerMessages<object, string>(async () => {
  const { url } = await startFakeEventStoreDb()
  return url
})
