/** Records in the log of a folder that nobody uses what its owner has accepted as lost. */

import type { NewEvent } from '../eventStore.ts'
import { openRefusal } from './databaseTrouble.ts'
import type { DataFolder } from './dataFolder.ts'
import type { LogLoss } from './inspectStores.ts'
import {
  batchInserter,
  endOf,
  type LogEnd,
  logPageBytes,
  logSchema,
  logVersion,
} from './logRows.ts'
import { type Database, ensureSchema, openDatabase, transaction } from './sqlite.ts'
import { type Mark, openWitnessFile } from './witnesses.ts'

export interface LossRecord {
  /** Positions of the log that are lost: they stay empty for ever. */
  readonly missing?: LogLoss['missing']
  /** Where the event goes, and the event. */
  readonly stream: string
  readonly event: NewEvent
  readonly nowMs: () => number
}

/**
 * Appends the event behind what is lost, makes the log when it is gone, and answers the position of the event. Throws an `Error` that
 * names the file when it cannot; again is then right.
 */
export function recordLoss(folder: DataFolder, record: LossRecord): number {
  const end = insertInto(folder.log, record)
  bearWitness(folder.witness, { ...end, atMs: record.nowMs() })
  return end.position
}

function insertInto(file: string, record: LossRecord): LogEnd {
  const database = openDatabase({ file, synchronous: 'FULL', pageBytes: logPageBytes })
  try {
    ensureSchema(database, { file, version: logVersion, sql: logSchema })
    const end = transaction(database, () => insert(database, record))
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    return end
  } catch (error) {
    throw openRefusal(error, file)
  } finally {
    database.close()
  }
}

function insert(database: Database, { missing, stream, event }: LossRecord): LogEnd {
  const end = endOf(database)
  if (missing) {
    database
      .prepare('INSERT INTO lost_positions (first, last) VALUES (?, ?)')
      .run(missing.first, missing.last)
    end.position = missing.last
  }
  const [last] = database
    .prepare('SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1')
    .all(stream)
  const expected = last ? Number(last['revision']) : 'no_stream'
  const [answer] = batchInserter(database)([{ stream, events: [event], expected }], end)
  if (!answer?.ok) throw new Error(`the loss could not be recorded in stream ${stream}`)
  return end
}

/** Writes it into the witness, of the log. Throws an `Error` that names the file. */
export function bearWitness(file: string, mark: Mark): void {
  try {
    const witness = openWitnessFile(file, 'log')
    witness.write(mark)
    witness.close()
  } catch (error) {
    throw openRefusal(error, file)
  }
}
