/** Records the last position of log and keys in a witness file, to detect truncated stores. */

/**
 * A small file beside them is written after every commit, before the answer. The read models know how far the log had
 * come, too.
 */

import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { LogWitness } from '../eventStore.ts'
import { explainOpenError, isDamage } from './databaseErrors.ts'
import { type DataFolder, readFileSize } from './dataFolder.ts'
import { type Database, openDatabase } from './sqlite.ts'

/** How far a store has come. */
export interface WitnessMark {
  /** Of the log the position of its last event, of the keys the number of their last change. */
  readonly position: number
  /** The id of that event; empty for the keys. */
  readonly id: string
}

export type WitnessedStore = 'log' | 'keys'

/** Where each has its mark: in a sector of its own, which is written as a whole. */
const markAt = { log: 0, keys: 512 } as const
/** CRC-32 of the rest, position, id: binary, since every commit waits for it. */
const places = { position: 4, id: 12 } as const
const idBytes = 36
const markBytes = places.id + idBytes

/**
 * Opens the witness of one for writing, and makes the file when it is missing. Throws an `Error` that names the file.
 */
export function openWitnessFile(file: string, of: WitnessedStore) {
  const handle = named(file, () => {
    closeSync(openSync(file, 'a', 0o600))
    return openSync(file, 'r+')
  })
  const record = Buffer.alloc(markBytes)
  return {
    /**
     * After this the mark outlives the process; it is not synced, so a power cut may leave an older one. Throws an
     * `Error` that names the file.
     */
    write: ({ position, id }: WitnessMark): void => {
      record.writeDoubleLE(position, places.position)
      record.fill(0, places.id)
      record.write(id, places.id, 'latin1')
      record.writeUInt32LE(crc32(record.subarray(places.position)), 0)
      named(file, () => writeSync(handle, record, 0, markBytes, markAt[of]))
    },
    close: () => closeSync(handle),
  }
}

/**
 * The mark of one in a witness file; undefined when there is none, or it is not whole. Throws an `Error` that names a
 * file that cannot be read.
 */
export function readWitnessFile(file: string, of: WitnessedStore): WitnessMark | undefined {
  if (!existsSync(file)) return undefined
  const bytes = named(file, () => readFileSync(file))
  const record = bytes.subarray(markAt[of], markAt[of] + markBytes)
  const isWhole =
    record.length === markBytes &&
    crc32(record.subarray(places.position)) === record.readUInt32LE(0)
  if (!isWhole) return undefined
  const id = record.toString('latin1', places.id).replaceAll('\0', '')
  return { position: record.readDoubleLE(places.position), id }
}

function named<Result>(file: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw explainOpenError(error, file)
  }
}

/** Every witness in the folder. A damaged file is skipped; opening it later reports the damage. */
export function readLogWitnesses(folder: DataFolder): readonly LogWitness[] {
  const mark = readWitnessFile(folder.witness, 'log')
  const checkpoints = readRows(folder.views, {
    table: 'checkpoints',
    sql: 'SELECT position, witness FROM checkpoints WHERE witness IS NOT NULL GROUP BY position',
  })
  const ofViews = checkpoints.flatMap(({ position, witness }) => {
    const id = idIn(String(witness))
    return id === undefined ? [] : [{ by: 'views.db', position: Number(position), id }]
  })
  return [...(mark ? [{ by: 'stores.witness', ...mark }] : []), ...ofViews]
}

/** Whether there are sealing keys, which are never made before there is a log. */
export function hasSealingKeys(file: string): boolean {
  return readRows(file, { table: 'keys', sql: 'SELECT 1 FROM keys LIMIT 1' }).length > 0
}

/** None when the file is missing, empty or damaged, or lacks the table. */
function readRows(file: string, { table, sql }: { readonly table: string; readonly sql: string }) {
  if (readFileSize(file) === 0) return []
  let database: Database | undefined
  try {
    database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
    const found = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table)
    return found ? database.prepare(sql).all() : []
  } catch (error) {
    if (isDamage(error)) return []
    throw explainOpenError(error, file)
  } finally {
    database?.close()
  }
}

/** The id of an event in a checkpoint; undefined when the text is damaged, which nothing else would notice. */
function idIn(witness: string): string | undefined {
  try {
    return (JSON.parse(witness) as { readonly id?: string }).id
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
