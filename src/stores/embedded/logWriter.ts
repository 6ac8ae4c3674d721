/** The one writer of the event log: puts a batch of appends on disk in one transaction. Synchronous; runs in either thread. */

import { fsyncSync, openSync } from 'node:fs'
import type { Append } from '../eventStore.ts'
import { failedSync, openRefusal, troubleOf } from './databaseTrouble.ts'
import { tryRoom } from './dataFolder.ts'
import {
  type Answer,
  batchInserter,
  endOf,
  type LogEnd,
  logPageBytes,
  logSchema,
  logVersion,
} from './logRows.ts'
import {
  busyTimeoutMs,
  type Database,
  ensureSchema,
  openDatabase,
  type Row,
  transaction,
} from './sqlite.ts'
import type { SharedHead } from './threads.ts'
import { openWitnessFile, type WitnessFile } from './witnesses.ts'

export interface Written {
  readonly kind: 'written'
  readonly answers: readonly Answer[]
  /** Why the witness could not be written along. */
  readonly unwitnessed?: string
}

/** Nothing of the batch is known to be on disk. A broken writer writes no more. */
export interface Refused {
  readonly kind: 'refused'
  readonly reason: string
  readonly broken: boolean
}

export type BatchResult = Written | Refused

export interface LogWriter {
  /** Returns when the batch is on disk; an answer for each append, in order. Never throws. */
  readonly commit: (batch: readonly Append[]) => BatchResult
  /** Commits nothing, after it has found room for the largest append: tells whether the next one can be written. Never throws. */
  readonly probe: () => BatchResult
  /** Moves the write-ahead log into the file when it has grown enough; call it after the answers have left. */
  readonly settle: () => void
  /** Has it write no more: another thread has failed to bring to the disk what was written. */
  readonly break: (reason: string) => void
  readonly close: () => void
}

export interface LogWriterOptions {
  readonly file: string
  /** The file that bears witness of the log. */
  readonly witness: string
  readonly head: SharedHead
  readonly nowMs: () => number
  /** Whether another thread moves the write-ahead log as well (`openWalMover`), so that the writer has to do it rarely. */
  readonly helped?: boolean
  /** How the database is opened; another one only to let it fail in tests. */
  readonly open?: typeof openDatabase
}

/** What the largest append takes: a mebibyte of data, its metadata, the pages of table and index. */
const roomBytes = 2 * 1024 * 1024
/** What a commit writes beside its events: the pages of the table's end and of the index, of which every event may have another. */
const commitBytes = 3 * logPageBytes

/** Opens the log, makes it when it is new, and publishes its head. Throws an `Error` that names the file when it cannot. */
export function openLogWriter(options: LogWriterOptions): LogWriter {
  const { file, head, open = openDatabase } = options
  const database = open({ file, synchronous: 'FULL', pageBytes: logPageBytes })
  try {
    database.exec('PRAGMA wal_autocheckpoint = 0')
    // what a statement may have to take back is a few pages, and no files that are made and removed for it
    database.exec('PRAGMA temp_store = MEMORY')
    ensureSchema(database, { file, version: logVersion, sql: logSchema })
    moveWal(database, 'TRUNCATE')
    const end = endOf(database)
    const witness = openWitness(options, end)
    head.publish(end.position)
    return logWriter({ options, database, end, witness })
  } catch (error) {
    database.close()
    throw troubleOf(error) ? openRefusal(error, file) : error
  }
}

/** Knows the end from the start: the log may lose its tail before anything is appended. */
function openWitness({ witness: file, nowMs }: LogWriterOptions, end: LogEnd): WitnessFile {
  try {
    const witness = openWitnessFile(file, 'log')
    if (end.position > 0) witness.write({ ...end, atMs: nowMs() })
    return witness
  } catch (error) {
    throw openRefusal(error, file)
  }
}

interface Parts {
  readonly options: LogWriterOptions
  readonly database: Database
  readonly end: LogEnd
  readonly witness: WitnessFile
}

function logWriter(parts: Parts): LogWriter {
  const { options, database, witness } = parts
  const write = batchCommit(parts)
  let unmovedBytes = 0
  let broken: string | undefined

  /**
   * A full disk and a busy file leave the database as it was, so the next batch may try. After any other error, a failed
   * sync above all, what is on disk is unknown until the log is opened anew: going on could acknowledge what is lost.
   */
  const refuse = (error: unknown): Refused => {
    const reason = openRefusal(error, options.file).message
    if (!isPassing(error)) broken = reason
    return { kind: 'refused', reason, broken: broken !== undefined }
  }
  const unlessBroken = (work: () => BatchResult): BatchResult => {
    if (broken !== undefined) return { kind: 'refused', reason: broken, broken: true }
    try {
      return work()
    } catch (error) {
      return refuse(error)
    }
  }

  return {
    commit: (batch) =>
      unlessBroken(() => {
        const result = write(batch)
        unmovedBytes += writtenBytes(batch)
        return result
      }),
    probe: () =>
      unlessBroken(() => {
        tryRoom(`${options.file}.room`, roomBytes)
        database.exec(`PRAGMA user_version = ${logVersion}`)
        const unwitnessed = parts.end.position > 0 ? tellWitness(parts) : undefined
        return { kind: 'written', answers: [], ...(unwitnessed !== undefined && { unwitnessed }) }
      }),
    settle: () => {
      if (broken !== undefined || unmovedBytes < mostBytes(options)) return
      try {
        if (moveAll(database, options)) unmovedBytes = 0
      } catch (error) {
        refuse(error)
      }
    },
    break: (reason) => {
      broken ??= reason
    },
    close: () => {
      if (broken === undefined) settleAll(database)
      broken ??= 'the event log is closed'
      database.close()
      witness.close()
    },
  }
}

/** Whether an error leaves the database as it was. */
function isPassing(error: unknown): boolean {
  const trouble = troubleOf(error)
  return trouble === 'full' || trouble === 'busy'
}

/**
 * Bytes written after which the writer moves them itself, and appends wait: alone often enough that the pages still lie in the cache,
 * helped only when the other thread has not come after, or readers and commits have kept the log from being written over.
 */
function mostBytes({ helped = false }: LogWriterOptions): number {
  return helped ? 64 * 1024 * 1024 : 8 * 1024 * 1024
}

/** How long the writer waits for readers, beyond the larger size. */
const waitMs = 250

/** Whether the next commit can begin the write-ahead log anew. SQLite does not wait for another thread that is moving. */
function moveAll(database: Database, { helped = false }: LogWriterOptions): boolean {
  if (!helped) {
    moveWal(database, 'PASSIVE')
    return true
  }
  database.exec(`PRAGMA busy_timeout = ${waitMs}`)
  try {
    return moveWal(database, 'RESTART')?.['busy'] === 0
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  }
}

/**
 * Moves the write-ahead log into the file. By hand, not by SQLite after a commit: there, a failed sync of the file would go unnoticed and
 * be taken for done.
 */
function moveWal(database: Database, mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): Row | undefined {
  return database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
}

/** Commits a batch, tells the witness and then everybody who follows the log. Throws what SQLite says, with nothing written. */
function batchCommit(parts: Parts): (batch: readonly Append[]) => BatchResult {
  const { options, database, end } = parts
  const insert = batchInserter(database)
  return (batch) => {
    const start = { ...end }
    try {
      const answers = transaction(database, () => insert(batch, end))
      if (end.position === start.position) return { kind: 'written', answers }
      const unwitnessed = tellWitness(parts)
      options.head.publish(end.position)
      return { kind: 'written', answers, ...(unwitnessed !== undefined && { unwitnessed }) }
    } catch (error) {
      Object.assign(end, start)
      throw error
    }
  }
}

/** Moves the write-ahead log of an open log beside its writer, and syncs the file, so that appends wait for nearly none of it. */
export interface WalMover {
  /** Moves what there is; answers why the disk has failed, if it has. What is only in the way is left for the next time. */
  readonly move: () => string | undefined
  /** To be called before the writer closes. */
  readonly close: () => void
}

/** Opens another connection to the log, for another thread. Throws an `Error` that names the file. */
export function openWalMover(file: string): WalMover {
  const database = openDatabase({ file, synchronous: 'FULL' })
  database.exec('PRAGMA wal_autocheckpoint = 0')
  // open until the process ends: closing one handle of a file takes the locks of all others in the process
  const handle = openSync(file, 'r')
  return {
    move: () => {
      try {
        moveWal(database, 'PASSIVE')
        sync(handle)
        return undefined
      } catch (error) {
        return isPassing(error) ? undefined : openRefusal(error, file).message
      }
    },
    close: database.close,
  }
}

/** SQLite leaves it to whoever moves the last page, for whom appends wait. Throws what SQLite would: no disk that is only full. */
function sync(handle: number): void {
  try {
    fsyncSync(handle)
  } catch (error) {
    throw failedSync(error)
  }
}

/** Answers why the witness could not be told: what is in the log is there all the same. */
function tellWitness({ options, end, witness }: Parts): string | undefined {
  try {
    witness.write({ ...end, atMs: options.nowMs() })
    return undefined
  } catch (error) {
    return openRefusal(error, options.witness).message
  }
}

/** A log that cannot be settled at the end (a full disk) is whole all the same: the next start reads the -wal file. */
function settleAll(database: Database): void {
  try {
    moveWal(database, 'TRUNCATE')
  } catch (error) {
    if (troubleOf(error) === undefined) throw error
  }
}

function writtenBytes(batch: readonly Append[]): number {
  let bytes = commitBytes
  for (const { events } of batch) {
    for (const { data, metadata } of events) bytes += data.length + metadata.length + logPageBytes
  }
  return bytes
}
