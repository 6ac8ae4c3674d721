/** The embedded event store of another process of the service: read from its files, written by asking it. */

import type { ProcessLine } from '../../domain/processLine.ts'
import { checkAppend } from '../checkAppend.ts'
import type { Append, Appended, EventStore, WrongRevision } from '../eventStore.ts'
import { encodeBatch } from './batchMessage.ts'
import { unavailable } from './databaseTrouble.ts'
import { openEmbeddedEventReader } from './embeddedEventReader.ts'
import type { AppendMessage, LogNews } from './serveStores.ts'
import { sharedHead } from './sharedHead.ts'

export interface JoinedEventStore extends EventStore {
  /** To be told whatever the line says of the log. */
  readonly hear: (news: LogNews) => void
}

export interface JoinedEventStoreOptions {
  /** The absolute path of the data folder, which the other process has open. */
  readonly folder: string
  readonly line: Pick<ProcessLine, 'ask'>
  /** Characters of appends that may be on their way; beyond it they are refused. */
  readonly pendingMax?: number
}

const mebibyte = 1024 * 1024

/** Opens it. Throws an `Error` that names the file when the log cannot be read. */
export function openJoinedEventStore(options: JoinedEventStoreOptions): JoinedEventStore {
  const { folder, line, pendingMax = 64 * mebibyte } = options
  const head = sharedHead()
  const reader = openEmbeddedEventReader({
    folder,
    headBuffer: head.buffer,
    isWrittenElsewhere: true,
  })
  let takesAppends = true
  let isClosed = false
  let pending = 0

  const send = async (append: Append): Promise<Appended | WrongRevision> => {
    const batch = encodeBatch([append])
    const chars = batch.reduce<number>(
      (sum, part) => sum + (typeof part === 'string' ? part.length : 0),
      0,
    )
    if (pending > 0 && pending + chars > pendingMax) {
      throw unavailable('event log', new Error('too many appends are waiting'))
    }
    pending += chars
    try {
      const message: AppendMessage = { account: append.account, batch }
      return (await line.ask('append', message)) as Appended | WrongRevision
    } catch (error) {
      // until it is heard that the log is well
      takesAppends = false
      throw error
    } finally {
      pending -= chars
    }
  }
  return {
    ...reader,
    append: async (append) => {
      checkAppend(append)
      if (isClosed) throw unavailable('event log', new Error('the event log is closed'))
      return send(append)
    },
    close: async () => {
      isClosed = true
      await reader.close()
    },
    takesAppends: () => takesAppends,
    hear: (news) => {
      takesAppends = news.takesAppends
      if (news.head > head.position()) head.publish(news.head)
    },
  }
}
