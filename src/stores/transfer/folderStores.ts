/** Opens the files of a data folder or backup for a copy; leaves a backup without WAL files. */

import { dirname } from 'node:path'
import type { DataFolder } from '../embedded/dataFolder.ts'
import {
  createKeyRecords,
  keepProofSql,
  keySchema,
  keyVersion,
  openKeyRecords,
  readKeyChangeCount,
} from '../embedded/embeddedKeyStore.ts'
import { createLogReader, openLogReader } from '../embedded/logReader.ts'
import {
  encodeEventRow,
  insertEventSql,
  logPageBytes,
  logSchema,
  logVersion,
  readLogEnd,
} from '../embedded/logWriter.ts'
import { type Database, ensureSchema, openDatabase, runInTransaction } from '../embedded/sqlite.ts'
import { openWitnessFile, type WitnessedStore, type WitnessMark } from '../embedded/witnesses.ts'
import type { RecordedEvent } from '../eventStore.ts'
import type { KeyRecord } from '../keys/keyRecords.ts'
import type { TransferSource, TransferTarget } from './copyStores.ts'

type Files = Pick<DataFolder, 'log' | 'keys'> & Partial<Pick<DataFolder, 'witness'>>

/**
 * Reads the files, a piece at a time, whether a service uses them or not. Throws an `Error` that names the one that
 * cannot be read.
 */
export async function withFolderSource<Result>(
  files: Files,
  work: (source: TransferSource) => Promise<Result>,
): Promise<Result> {
  const log = openLogReader(files.log)
  try {
    const keys = openKeyRecords(files.keys)
    return await work({ log, keys }).finally(keys.close)
  } finally {
    log.close()
  }
}

/**
 * Writes the files, made when they are missing, and the witness of both where it is named; each is one closed file
 * afterwards, so that it can be moved, and read where nothing may be written. Throws an `Error` that names the one that
 * cannot be written.
 */
export async function withFolderTarget<Result>(
  files: Files,
  work: (target: TransferTarget) => Promise<Result>,
): Promise<Result> {
  const log = openDatabase({ file: files.log, synchronous: 'NORMAL', pageBytes: logPageBytes })
  const keys = openDatabase({ file: files.keys, synchronous: 'NORMAL', secureDelete: true })
  try {
    ensureSchema(log, { file: files.log, version: logVersion, sql: logSchema })
    ensureSchema(keys, { file: files.keys, version: keyVersion, sql: keySchema })
    const reader = createLogReader(log)
    const target = {
      name: dirname(files.log),
      log: {
        append: eventInserter(log),
        after: async (position: number) => reader.readBatch(position),
        last: async () => reader.readTail(1)[0],
      },
      keys: keyTarget(keys, files.keys),
    }
    const result = await work(target)
    if (files.witness !== undefined) {
      writeMark(files.witness, 'log', readLogEnd(log))
      writeMark(files.witness, 'keys', { position: readKeyChangeCount(keys), id: '' })
    }
    for (const database of [log, keys]) {
      database.exec('PRAGMA synchronous = FULL')
      database.prepare('PRAGMA journal_mode = DELETE').get()
    }
    return result
  } finally {
    log.close()
    keys.close()
  }
}

function writeMark(file: string, of: WitnessedStore, mark: WitnessMark): void {
  const { write, close } = openWitnessFile(file, of)
  write(mark)
  close()
}

/** Every event keeps its position. */
function eventInserter(database: Database): TransferTarget['log']['append'] {
  const insert = database.prepare(insertEventSql)
  const append = (event: RecordedEvent) => void insert.run(...encodeEventRow(event))
  return async (events) => runInTransaction(database, () => events.forEach(append))
}

function keyTarget(database: Database, file: string): TransferTarget['keys'] {
  const { after, proof } = createKeyRecords(database, file)
  const add = database.prepare(
    `INSERT INTO keys (id, wrapped) SELECT ?1, ?2
     WHERE NOT EXISTS (SELECT 1 FROM destroyed WHERE id = ?1) ON CONFLICT (id) DO NOTHING`,
  )
  const markDestroyed = database.prepare('INSERT OR IGNORE INTO destroyed (id, at) VALUES (?, ?)')
  const remove = database.prepare('DELETE FROM keys WHERE id = ?')
  const keep = database.prepare(keepProofSql)
  const put = (key: KeyRecord): void => {
    if ('wrapped' in key) add.run(key.id, key.wrapped)
    else {
      markDestroyed.run(key.id, key.destroyedAtMs)
      remove.run(key.id)
    }
  }
  return {
    after,
    proof,
    put: async (page) => runInTransaction(database, () => page.forEach(put)),
    finish: async (given) => {
      keep.run(given)
      return proof()
    },
  }
}
