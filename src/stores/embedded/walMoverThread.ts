/** The thread that moves the write-ahead log of the event log into its file, a step each time it is told to. */

import { fsyncSync, openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { failedSync } from './databaseTrouble.ts'
import { openDatabase } from './sqlite.ts'
import { checkpoint } from './walCheckpoints.ts'

export interface MoverStart {
  /** The log. */
  readonly file: string
}

export type MoverOrder = 'move' | 'close'

/** How many pages the write-ahead log has, or what the error said of itself, which does not outlive the way between threads. */
export type MoverReply =
  | { readonly pages: number }
  | { readonly message: string; readonly errcode?: unknown; readonly code?: unknown }

const port = parentPort
if (port) {
  const step = openSteps(workerData as MoverStart)
  port.on('message', (order: MoverOrder) => {
    if (order === 'move') {
      port.postMessage(step.take())
      return
    }
    step.close()
    port.close()
  })
}

function openSteps({ file }: MoverStart) {
  const database = openDatabase({ file, synchronous: 'FULL' })
  database.exec('PRAGMA wal_autocheckpoint = 0')
  // held until the thread ends: closing one handle of a file takes the locks of all others in the process
  const handle = openSync(file, 'r')
  return {
    take: (): MoverReply => {
      try {
        const pages = checkpoint(database, 'PASSIVE')
        // SQLite leaves it to whoever moves the last page, for whom appends wait
        sync(handle)
        return { pages }
      } catch (error) {
        return replyOf(error)
      }
    },
    close: () => database.close(),
  }
}

/** Throws what SQLite would: whatever cannot be synced is not taken for a disk that is only full. */
function sync(handle: number): void {
  try {
    fsyncSync(handle)
  } catch (error) {
    throw failedSync(error)
  }
}

function replyOf(error: unknown): MoverReply {
  if (!(error instanceof Error)) return { message: String(error) }
  const { message } = error
  return {
    message,
    ...('errcode' in error && { errcode: error.errcode }),
    ...('code' in error && { code: error.code }),
  }
}
