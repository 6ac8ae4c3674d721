/** Inspects log and keys for damage and loss, without writing. */

import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import type { LogWitness } from '../eventStore.ts'
import {
  describeLogLoss,
  findMasterKeyLoss,
  type KeyLoss,
  type KeyPlace,
  type KeysToInspect,
  keyLoss,
  type LogLoss,
} from '../losses.ts'
import { explainOpenError, fileError, isDamage } from './databaseErrors.ts'
import { type DataFolder, readFileSize } from './dataFolder.ts'
import { keyVersion, readKeyChangeCount } from './embeddedKeyStore.ts'
import { createLogReader } from './logReader.ts'
import { logVersion, readLogEnd } from './logWriter.ts'
import { type Database, isEmpty, openDatabase, readNumber } from './sqlite.ts'
import { hasSealingKeys, readLogWitnesses, readWitnessFile } from './witnesses.ts'

/** How many of the last events are read and checked; the older ones are checked whenever they are read. */
const tailMax = 1_000

/**
 * The loss of the log that other files of the folder prove, or undefined. Throws an `Error` that names the file when it
 * is damaged; another version is left to `ensureSchema`. SQLite silently ignores a damaged end of the write-ahead log:
 * the rest was once the whole history, and only a witness shows the difference.
 */
export function inspectLog(folder: DataFolder): LogLoss | undefined {
  const witnesses = readLogWitnesses(folder)
  try {
    return findLoss(folder, witnesses)
  } catch (error) {
    throw isDamage(error) ? damagedLog(folder.log, error) : explainOpenError(error, folder.log)
  }
}

function damagedLog(file: string, cause: unknown): Error {
  const wayOn =
    'nothing was changed; restore it from a backup; without one, move log.db, log.db-wal and log.db-shm to another folder and go on without all that was in them: vigil restore --accept-loss'
  return fileError(file, `the file is damaged or not a database; ${wayOn}`, cause)
}

function findLoss(folder: DataFolder, witnesses: readonly LogWitness[]): LogLoss | undefined {
  const { log: file } = folder
  if (readFileSize(file) === 0) return findLossOfAll(folder, witnesses)
  const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
  try {
    if (isEmpty(database)) return findLossOfAll(folder, witnesses)
    if (readNumber(database, 'PRAGMA user_version') !== logVersion) return undefined
    const { position: end } = readLogEnd(database)
    // every event that is read is checked
    createLogReader(database).readAll({ after: Math.max(0, end - tailMax), limit: tailMax })
    const select = database.prepare('SELECT id FROM events WHERE position = ?')
    const against = witnesses.filter(({ position, id }) => select.get(position)?.['id'] !== id)
    return describeLogLoss(end, against)
  } finally {
    database.close()
  }
}

/** What is missing where there is no log: nothing in a new folder. */
function findLossOfAll(
  { keys }: DataFolder,
  witnesses: readonly LogWitness[],
): LogLoss | undefined {
  const unseen = hasSealingKeys(keys) ? { endPosition: 0, provenBy: ['keys.db'] } : undefined
  return describeLogLoss(0, witnesses) ?? unseen
}

/**
 * The first loss found, or undefined. Every page is checked (about 0.2 s for a million keys), since SQLite would refill
 * a truncated file from its write-ahead log, with gaps. Throws an `Error` that names the file when it cannot be read at
 * all.
 */
export function inspectKeys(folder: DataFolder, expected: KeysToInspect): KeyLoss | undefined {
  const { keys: file } = folder
  if (readFileSize(file) === 0) return missingKeys(folder, expected)
  const damaged = keyLoss('damaged', placeOf(folder))
  let database: Database | undefined
  try {
    readThrough(file)
    database = openDatabase({ file, synchronous: 'FULL', readOnly: true, version: keyVersion })
    const { quick_check: found } = database.prepare('PRAGMA quick_check(1)').get() ?? {}
    if (found !== 'ok') return damaged
    return masterKeyLoss(database, folder, expected) ?? olderCopy(database, folder)
  } catch (error) {
    if (!isDamage(error)) throw explainOpenError(error, file)
    return damaged
  } finally {
    database?.close()
  }
}

const pieceBytes = 1024 * 1024

/**
 * Has the system read a file in its order: after a restart of the machine the check, which asks for the pages in
 * another, would take ten times as long. Before the database is opened, since closing the file takes the locks of every
 * connection.
 */
function readThrough(file: string): void {
  const handle = openSync(file, 'r')
  const piece = Buffer.allocUnsafe(pieceBytes)
  try {
    for (let count = pieceBytes; count > 0; ) count = readSync(handle, piece)
  } finally {
    closeSync(handle)
  }
}

/** A process killed at its first start has neither keys nor log. */
function missingKeys(folder: DataFolder, { isLogInUse }: KeysToInspect): KeyLoss | undefined {
  if (!isLogInUse && !readWitnessFile(folder.witness, 'keys')) return undefined
  const how = existsSync(folder.keys) ? 'empty' : 'gone'
  return keyLoss('gone', placeOf(folder), `it is ${how}, and with it`)
}

function placeOf({ keys, masterKey }: DataFolder): KeyPlace {
  return { keys, masterKey }
}

function masterKeyLoss(
  database: Database,
  folder: DataFolder,
  { masterKey }: KeysToInspect,
): KeyLoss | undefined {
  const row = isEmpty(database) ? undefined : database.prepare('SELECT proof FROM master').get()
  if (!row) return undefined
  const proof = row['proof'] instanceof Uint8Array ? row['proof'] : undefined
  return findMasterKeyLoss(proof, masterKey, placeOf(folder))
}

function olderCopy(database: Database, folder: DataFolder): KeyLoss | undefined {
  const { position: seen = 0 } = readWitnessFile(folder.witness, 'keys') ?? {}
  const changes = isEmpty(database) ? 0 : readKeyChangeCount(database)
  if (changes >= seen) return undefined
  const found = `it has seen ${changes} changes, but stores.witness knows of ${seen}`
  return keyLoss('older_copy', placeOf(folder), found)
}

/**
 * The damage that SQLite finds in a whole file, or why it cannot be read; undefined when there is none. It takes a
 * second and more for each million rows.
 */
export function findDamage(file: string): string | undefined {
  try {
    const database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
    try {
      return findDamagedTable(file, database)
    } finally {
      database.close()
    }
  } catch (error) {
    return (error as Error).message
  }
}

function findDamagedTable(file: string, database: Database): string | undefined {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) {
    const found = checkTable(database, String(name))
    if (found !== 'ok') return `${file} is damaged, in its table ${name}: ${found}`
  }
  return undefined
}

function checkTable(database: Database, table: string): unknown {
  try {
    return database.prepare(`PRAGMA integrity_check("${table}")`).get()?.['integrity_check']
  } catch (error) {
    if (isDamage(error)) return 'a page cannot be read'
    throw error
  }
}
