/** The one writer of the event log: puts a batch of appends on disk in one transaction. Synchronous; runs in either thread. */

import type { Append } from '../eventStore.ts'
import { openRefusal, troubleOf } from './databaseTrouble.ts'
import { type Answer, batchInserter } from './insertBatch.ts'
import type { LogEnd } from './insertRows.ts'
import { logPageBytes, logSchema, logVersion } from './logSchema.ts'
import { ensureSchema } from './schema.ts'
import type { SharedHead } from './sharedHead.ts'
import { type Database, openDatabase } from './sqlite.ts'
import { transaction } from './transaction.ts'

export type BatchResult =
  | { readonly kind: 'written'; readonly answers: readonly Answer[] }
  /** Nothing of the batch is known to be on disk. A broken writer writes no more. */
  | { readonly kind: 'refused'; readonly reason: string; readonly broken: boolean }

export interface LogWriter {
  /** Returns when the batch is on disk; an answer for each append, in order. Never throws. */
  readonly commit: (batch: readonly Append[]) => BatchResult
  /** Moves the write-ahead log into the file when it has grown enough; call it after the answers have left. */
  readonly settle: () => void
  readonly close: () => void
}

export interface LogWriterOptions {
  readonly file: string
  readonly head: SharedHead
  /** How the database is opened; another one only to let it fail in tests. */
  readonly open?: typeof openDatabase
}

/**
 * Bytes written after which the write-ahead log is moved into the file. Small enough that the pages lie in the cache and the
 * log is written over in place, which syncs faster than a growing file.
 */
const settleAfterBytes = 8 * 1024 * 1024
/** What a commit writes beside its events: the pages of the table's end and of the index. */
const commitBytes = 3 * logPageBytes

/** Opens the log, makes it when it is new, and publishes its head. Throws an `Error` that names the file when it cannot. */
export function openLogWriter({ file, head, open = openDatabase }: LogWriterOptions): LogWriter {
  const database = open({ file, synchronous: 'FULL', pageBytes: logPageBytes })
  try {
    database.exec('PRAGMA wal_autocheckpoint = 0')
    ensureSchema(database, { file, version: logVersion, sql: logSchema })
    checkpoint(database, 'TRUNCATE')
    const last = database.prepare('SELECT coalesce(max(position), 0) AS position FROM events').get()
    const end: LogEnd = { position: Number(Object.values(last ?? {})[0]) }
    head.publish(end.position)
    return logWriter({ file, database, head, end })
  } catch (error) {
    database.close()
    throw troubleOf(error) ? openRefusal(error, file) : error
  }
}

interface Parts {
  readonly file: string
  readonly database: Database
  readonly head: SharedHead
  readonly end: LogEnd
}

function logWriter({ file, database, head, end }: Parts): LogWriter {
  const insert = batchInserter(database)
  let broken: string | undefined
  let unsettledBytes = 0

  /**
   * A full disk and a busy file leave the database as it was, so the next batch may try. After any other error, a failed
   * sync above all, what is on disk is unknown until the log is opened anew: going on could acknowledge what is lost.
   */
  const refuse = (error: unknown): BatchResult => {
    const trouble = troubleOf(error)
    const reason = openRefusal(error, file).message
    if (trouble !== 'full' && trouble !== 'busy') broken = reason
    return { kind: 'refused', reason, broken: broken !== undefined }
  }

  return {
    commit: (batch) => {
      if (broken !== undefined) return { kind: 'refused', reason: broken, broken: true }
      const start = end.position
      try {
        const answers = transaction(database, () => insert(batch, end))
        unsettledBytes += commitBytes + lengthOf(batch)
        if (end.position > start) head.publish(end.position)
        return { kind: 'written', answers }
      } catch (error) {
        end.position = start
        return refuse(error)
      }
    },
    settle: () => {
      if (broken !== undefined || unsettledBytes < settleAfterBytes) return
      try {
        checkpoint(database, 'PASSIVE')
        unsettledBytes = 0
      } catch (error) {
        refuse(error)
      }
    },
    close: () => {
      if (broken === undefined) settleAll(database)
      database.close()
    },
  }
}

/** A log that cannot be settled at the end (a full disk) is whole all the same: the next start reads the -wal file. */
function settleAll(database: Database): void {
  try {
    checkpoint(database, 'TRUNCATE')
  } catch (error) {
    if (troubleOf(error) === undefined) throw error
  }
}

/** By hand, not by SQLite after a commit: there, a failed sync of the file would go unnoticed and be taken for done. */
function checkpoint(database: Database, mode: 'PASSIVE' | 'TRUNCATE'): void {
  database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
}

function lengthOf(batch: readonly Append[]): number {
  let length = 0
  for (const { events } of batch) {
    for (const { data, metadata } of events) length += data.length + metadata.length
  }
  return length
}
