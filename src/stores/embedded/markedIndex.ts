/** The index of a log that was found wrong while it was used: remembered, and made anew from the events at the next start. */

import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Failure } from '../../domain/failure.ts'
import { fileRefusal, isDamage, openRefusal } from './databaseTrouble.ts'
import { openLogReader } from './logReader.ts'
import { openDatabase } from './sqlite.ts'

/** Remembers that the index of the log is wrong. */
export function markIndex(log: string): void {
  writeFileSync(markOf(log), '', { mode: 0o600 })
}

/** Whether that is remembered of a log that is there. */
export function isIndexMarked(log: string): boolean {
  return existsSync(markOf(log)) && (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Makes the index anew, once every event has been read and is whole, and forgets the mark. Throws an `Error` that names the file and says
 * what to do, with nothing changed, when an event is damaged or two have the same revision of a stream.
 */
export function mendIndex(log: string): void {
  refuseDamagedEvents(log)
  const database = openDatabase({ file: log, synchronous: 'FULL' })
  try {
    // the folder for temporary files may have no room, or not exist
    database.exec('PRAGMA temp_store = MEMORY')
    database.exec('REINDEX events_of_stream')
  } catch (error) {
    throw refusalOf(error, log)
  } finally {
    database.close()
  }
  rmSync(markOf(log), { force: true })
}

const wayOn = 'nothing was changed; restore a backup from before'

function refuseDamagedEvents(log: string): void {
  const reader = openLogReader(log)
  try {
    const end = reader.head()
    for (let after = 0; after < end; ) {
      const last = reader.readBatch(after).at(-1)
      if (!last) return
      after = last.position
    }
  } catch (error) {
    if (!(error instanceof Failure && error.isDamage)) throw error
    throw fileRefusal(log, `its index is wrong, and so is one of its events; ${wayOn}`, error)
  } finally {
    reader.close()
  }
}

function refusalOf(error: unknown, log: string): Error {
  if (isTwice(error)) {
    const what = 'its index was wrong, and a stream was written twice over'
    return fileRefusal(log, `${what}; ${wayOn}`, error)
  }
  if (!isDamage(error)) return openRefusal(error, log)
  const what = 'its index cannot be read, and every event in it is whole'
  return fileRefusal(log, `${what}; ${copied}`, error)
}

/** SQLite lets nobody make an index anew whose pages it cannot follow. */
const copied =
  'nothing was changed; vigil backup, and vigil restore into a new folder, make it anew'

function isTwice(error: unknown): boolean {
  return error instanceof Error && error.message.includes('UNIQUE constraint failed')
}

function markOf(log: string): string {
  return `${log}.wrong-index`
}
