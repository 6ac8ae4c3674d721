/** Looks at a log without changing a byte of it, so that a damaged one is refused before anything is written. */

import { statSync } from 'node:fs'
import { openRefusal } from './databaseTrouble.ts'
import { batchMax, openLogReader } from './logReader.ts'
import { logVersion } from './logSchema.ts'
import { type Database, openDatabase } from './sqlite.ts'

/** How many of the last events are read and checked; the older ones are checked whenever they are read. */
const tailMax = 4 * batchMax

/**
 * Throws an `Error` that names the file when it is damaged; one that is not there yet, or is of another version, is left to
 * `ensureSchema`. A damaged end of the write-ahead log SQLite leaves out in silence: what remains was the whole history once.
 */
export function inspectLog(file: string): void {
  try {
    if (sizeOf(file) === 0) {
      if (sizeOf(`${file}-wal`) > 0)
        throw new Error('it is gone but its -wal file is there; restore it')
      return
    }
    const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
    try {
      if (numberOf(database, 'PRAGMA user_version') !== logVersion) return
      checkSize(database, file)
      checkTail(database, file)
      if (sizeOf(`${file}-wal`) > 0) checkIndex(database)
    } finally {
      database.close()
    }
  } catch (error) {
    throw openRefusal(error, file)
  }
}

/** The log never shrinks: pages beyond the end it knows of were written by commits that the write-ahead log has lost. */
function checkSize(database: Database, file: string): void {
  const pages = numberOf(database, 'PRAGMA page_count')
  if (sizeOf(file) > pages * numberOf(database, 'PRAGMA page_size')) {
    throw new Error('its -wal file lacks commits that were in it; restore both from a backup')
  }
}

function checkTail(database: Database, file: string): void {
  const head = headOf(database)
  const first = numberOf(database, 'SELECT coalesce(min(position), 0) FROM events')
  if (first !== Math.min(head, 1)) throw new Error('its first events are missing; restore a backup')
  const reader = openLogReader(file)
  try {
    const after = Math.max(0, head - tailMax)
    for (const event of reader.readAll({ after, limit: tailMax })) {
      const [indexed] = reader.readStream(event.stream, { from: event.revision, limit: 1 })
      if (indexed?.position !== event.position) {
        throw new Error(`its index is wrong at position ${event.position}; restore a backup`)
      }
    }
  } finally {
    reader.close()
  }
}

/**
 * Only after a crash, when pages of the file and of the write-ahead log come together for the first time: as many entries as
 * events, so that none points at an event that is lost. Reads the index alone, about 0.2 s for a million events.
 */
function checkIndex(database: Database): void {
  const entries = numberOf(database, 'SELECT count(*) FROM events INDEXED BY events_of_stream')
  if (entries !== headOf(database)) {
    throw new Error('its index and its events do not agree; restore a backup')
  }
}

function headOf(database: Database): number {
  return numberOf(database, 'SELECT coalesce(max(position), 0) FROM events')
}

function numberOf(database: Database, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0])
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
