/** Writes the embedded event log, one transaction per batch, and checkpoints its WAL. */

import { fsyncSync, openSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { findFileFault, isPassingFault } from '../../domain/fileFaults.ts'
import {
  type Append,
  type Appended,
  charsOf,
  type RecordedEvent,
  type WrongRevision,
} from '../eventStore.ts'
import { explainOpenError, explainStoreFault } from './databaseErrors.ts'
import {
  type Database,
  ensureSchema,
  openDatabase,
  runInTransaction,
  type SqlValue,
} from './sqlite.ts'
import type { SharedHead } from './threadCalls.ts'
import { openWitnessFile } from './witnesses.ts'

/** Kept in `PRAGMA user_version`; a program refuses what a newer one wrote. */
export const logVersion = 2

/**
 * Twice the usual size: an event is more than a kilobyte, so fewer pages are written, checked and moved for the same
 * events.
 */
export const logPageBytes = 8192

/**
 * One row per event and one index. Rows are only ever added, at the end, so that a commit touches few pages; `position`
 * is the rowid, and as nothing is deleted no position is used twice.
 */
export const logSchema = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream   TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    id       TEXT    NOT NULL,
    type     TEXT    NOT NULL,
    data     TEXT    NOT NULL,
    metadata TEXT    NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_of_stream ON events (stream, revision);`

/** The bytes of an event are put together here: most are far smaller, and making a text of them all takes longer. */
const bytes = Buffer.allocUnsafeSlow(64 * 1024)
/** Bytes that a character of a text takes in UTF-8 at the most. */
const characterBytesMax = 3
const lineEnd = 0x0a

/** CRC-32 of every field in UTF-8, with a newline after each so that fields do not run into one another. */
export function computeEventChecksum(event: RecordedEvent): number {
  const { data, metadata } = event
  const place = formatPlace(event)
  const encoded = encodeTexts(place, event)
  return encoded ? crc32(encoded.all) : crc32(`${place}${data}\n${metadata}`)
}

/** What comes before the data in the checksum. */
function formatPlace({ position, revision, stream, id, type }: RecordedEvent): string {
  return `${position}\n${revision}\n${stream}\n${id}\n${type}\n`
}

/** The bytes of an event until the next is encoded; undefined when they may be too many. */
function encodeTexts(place: string, { data, metadata }: RecordedEvent) {
  const characters = place.length + data.length + 1 + metadata.length
  if (characters * characterBytesMax > bytes.length) return undefined
  const dataAt = bytes.write(place)
  const dataEnd = dataAt + bytes.write(data, dataAt)
  bytes[dataEnd] = lineEnd
  const end = dataEnd + 1 + bytes.write(metadata, dataEnd + 1)
  return { all: bytes.subarray(0, end), dataAt, dataEnd }
}

/** Where the log ends, and the id of its last event; moved on by every row inserted. */
export interface LogEnd {
  position: number
  id: string
}

/** The end of a log as recorded in its file. */
export function readLogEnd(database: Database): LogEnd {
  const [end] = database
    .prepare('SELECT position, id FROM events ORDER BY position DESC LIMIT 1')
    .all()
  return { position: Number(end?.['position'] ?? 0), id: String(end?.['id'] ?? '') }
}

export const insertEventSql = `INSERT INTO events (position, stream, revision, id, type, data, metadata, checksum)
  VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), CAST(? AS TEXT), ?)`

/**
 * The values of `insertEventSql`, to be bound before the next event is encoded: data and metadata are the bytes of
 * their checksum, since encoding long texts once more takes a fifth of what an insertion does.
 */
export function encodeEventRow(event: RecordedEvent): SqlValue[] {
  const { position, stream, revision, id, type } = event
  const encoded = encodeTexts(formatPlace(event), event)
  if (!encoded) {
    const { data, metadata } = event
    return [position, stream, revision, id, type, data, metadata, computeEventChecksum(event)]
  }
  const { all, dataAt, dataEnd } = encoded
  const data = all.subarray(dataAt, dataEnd)
  return [position, stream, revision, id, type, data, all.subarray(dataEnd + 1), crc32(all)]
}

export type AppendResult = Appended | WrongRevision

function wrongRevision(found: number): WrongRevision {
  return { ok: false, actual: found < 0 ? 'no_stream' : found }
}

/**
 * Prepares the statements on a log. The result inserts all events of an append or none, and returns one answer for each
 * append in order; the writer is alone, so what was read stays true until the commit. Throws when the database does.
 */
function batchInserter(database: Database) {
  const current = database.prepare(
    'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
  )
  const following = database.prepare(
    'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
  )
  const insert = database.prepare(`${insertEventSql} ON CONFLICT (stream, revision) DO NOTHING`)

  /**
   * The very same append (all ids alike) succeeds with its first answer, however long ago that was; anything else is a
   * wrong revision, and so is the same append with one event more.
   */
  const duplicate = ({ stream, events }: Append, wanted: number): Appended | undefined => {
    const present = following.all(stream, wanted, events.length)
    const last = present.at(-1)
    const isSame = events.every(({ id }, index) => present[index]?.['id'] === id)
    if (!isSame || !last) return undefined
    return { ok: true, revision: wanted + events.length, position: Number(last['position']) }
  }
  /** Undefined, with nothing inserted, when the stream has the first revision already. */
  const insertEvents = (append: Append, after: number, end: LogEnd): Appended | undefined => {
    const { stream, events } = append
    let revision = after
    for (const { id, type, data, metadata } of events) {
      revision += 1
      const position = end.position + 1
      const row = encodeEventRow({ position, stream, revision, id, type, data, metadata })
      if (Number(insert.run(...row).changes) === 0) {
        if (revision === after + 1) return undefined
        throw new Error(`the event log is damaged: the revisions of ${stream} have a hole`)
      }
      end.position = position
      end.id = id
    }
    return { ok: true, revision, position: end.position }
  }
  const insertOne = (append: Append, end: LogEnd): AppendResult => {
    const wanted = append.expected === 'no_stream' ? -1 : append.expected
    // most are new streams, which need no look-up: the index itself says whether there is one
    const added = wanted === -1 ? insertEvents(append, wanted, end) : undefined
    if (added) return added
    const found = Number(current.get(append.stream)?.['revision'] ?? -1)
    if (wanted === found) return insertEvents(append, wanted, end) as Appended
    return (wanted < found && duplicate(append, wanted)) || wrongRevision(found)
  }
  return (batch: readonly Append[], end: LogEnd) => batch.map((append) => insertOne(append, end))
}

/** When refused, nothing of the batch is known to be on disk; when that is final, nothing more is written. */
export type BatchResult =
  | { readonly kind: 'written'; readonly answers: readonly AppendResult[] }
  | { readonly kind: 'refused'; readonly reason: string; readonly isFinal: boolean }

export type LogWriter = ReturnType<typeof createLogWriter>

export interface LogWriterOptions {
  readonly file: string
  /** The file that bears witness of the log. */
  readonly witness: string
  readonly head: SharedHead
  /** How the database is opened; another one only to let it fail in tests. */
  readonly open?: typeof openDatabase | undefined
}

/**
 * Bytes of the write-ahead log after which the writer moves it itself, and appends wait: the other thread has not kept
 * up.
 */
const unmovedMax = 64 * 1024 * 1024
/** How long it waits for readers then; nobody else writes. */
const busyMs = 250

/**
 * Opens the log, makes it when it is new, and publishes its head. All of it is synchronous. Throws an `Error` that
 * names the file when it cannot.
 */
export function openLogWriter(options: LogWriterOptions): LogWriter {
  const { file, head, open = openDatabase } = options
  const database = open({ file, synchronous: 'FULL', pageBytes: logPageBytes, busyMs })
  try {
    database.exec('PRAGMA wal_autocheckpoint = 0')
    // what a statement may have to take back is a few pages, and no files that are made and removed for it
    database.exec('PRAGMA temp_store = MEMORY')
    ensureSchema(database, { file, version: logVersion, sql: logSchema })
    checkpointWal(database, 'TRUNCATE')
    head.publish(readLogEnd(database).position)
    return createLogWriter(options, database)
  } catch (error) {
    database.close()
    throw explainStoreFault(error, file)
  }
}

function createLogWriter(options: LogWriterOptions, database: Database) {
  const { file, head } = options
  const witness = openWitnessFile(options.witness, 'log')
  const insert = batchInserter(database)
  const end = readLogEnd(database)
  let unmovedBytes = 0
  let broken: string | undefined

  /**
   * A full disk and a busy file leave the database as it was, so the next batch may try. After any other error, a
   * failed sync above all, what is on disk is unknown until the log is opened anew: going on could acknowledge what is
   * lost.
   */
  const refuse = (error: unknown, mayPass: boolean): BatchResult => {
    const reason = explainOpenError(error, file).message
    if (!mayPass || !isPassingFault(error)) broken = reason
    return { kind: 'refused', reason, isFinal: broken !== undefined }
  }
  /**
   * Returns when the batch is on disk and the witness knows of it; an answer for each append, in order. Never throws.
   */
  const commit = (batch: readonly Append[]): BatchResult => {
    if (broken !== undefined) return { kind: 'refused', reason: broken, isFinal: true }
    const start = { ...end }
    let isCommitted = false
    try {
      const answers = runInTransaction(database, () => insert(batch, end))
      isCommitted = true
      if (end.position > start.position) {
        unmovedBytes += writtenBytes(batch)
        witness.write(end)
        head.publish(end.position)
      }
      return { kind: 'written', answers }
    } catch (error) {
      Object.assign(end, start)
      return refuse(error, !isCommitted)
    }
  }

  return {
    commit,
    /** Moves the write-ahead log into the file when it has grown too long; call it after the answers have left. */
    checkpointIfLong: (): void => {
      if (broken !== undefined || unmovedBytes < unmovedMax) return
      try {
        unmovedBytes = 0
        checkpointWal(database, 'RESTART')
      } catch (error) {
        refuse(error, true)
      }
    },
    /** Has it write no more: another thread has failed to bring to the disk what was written. */
    break: (reason: string): void => {
      broken ??= reason
    },
    close: (): void => {
      if (broken === undefined) checkpointAtClose(database)
      broken ??= 'the event log is closed'
      database.close()
      witness.close()
    },
  }
}

/**
 * Moves the write-ahead log into the file. By hand, not by SQLite after a commit: there, a failed sync of the file
 * would go unnoticed and be taken for done.
 */
function checkpointWal(database: Database, mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): void {
  database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
}

/** A log that cannot be settled at the end (a full disk) is whole all the same: the next start reads the -wal file. */
function checkpointAtClose(database: Database): void {
  try {
    checkpointWal(database, 'TRUNCATE')
  } catch (error) {
    if (findFileFault(error) === undefined) throw error
  }
}

/**
 * What a commit writes beside its events: the pages of the table's end and of the index, of which every event may have
 * another.
 */
const commitBytes = 3 * logPageBytes

/** About as many as the write-ahead log grows by. */
export function writtenBytes(batch: readonly Append[]): number {
  const bytesOf = ({ events }: Append) => charsOf(events) + events.length * logPageBytes
  return batch.reduce((sum, append) => sum + bytesOf(append), commitBytes)
}

export type WalCheckpointer = ReturnType<typeof openWalCheckpointer>

/**
 * Moves the write-ahead log of an open log beside its writer, in another thread, and syncs the file, so that appends
 * wait for nearly none of it. Throws an `Error` that names the file.
 */
export function openWalCheckpointer(file: string) {
  const database = openDatabase({ file, synchronous: 'FULL' })
  database.exec('PRAGMA wal_autocheckpoint = 0')
  // open until the process ends: closing one handle of a file takes the locks of all others in the process
  const handle = openSync(file, 'r')
  return {
    /**
     * Moves what there is; answers why the disk has failed, if it has. What is only in the way is left for the next
     * time.
     */
    checkpoint: (): string | undefined => {
      try {
        checkpointWal(database, 'PASSIVE')
      } catch (error) {
        return isPassingFault(error) ? undefined : explainOpenError(error, file).message
      }
      try {
        // SQLite leaves it to the one who moves the last page, for whom appends wait
        fsyncSync(handle)
        return undefined
      } catch (error) {
        return explainOpenError(error, file).message
      }
    },
    /** To be called before the writer closes. */
    close: database.close,
  }
}
