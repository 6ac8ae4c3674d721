/** Opens the embedded key store `keys.db`, and reads its keys wrapped or unwrapped. */

import type { Clock, Random } from '../../domain/clock.ts'
import type { KeyState } from '../../events/recording/sealing.ts'
import type { KeyStore } from '../keyStore.ts'
import type { KeyRecord, KeyRecords } from '../keys/keyRecords.ts'
import {
  computeMasterKeyProof,
  createKeyUnwrapper,
  createKeyWrapping,
  isProofOf,
  type KeyWrapping,
  newKeys,
} from '../keys/keyWrapping.ts'
import { explainStoreFault, mapStoreErrors, storeUnavailable } from './databaseErrors.ts'
import { openDataFolder } from './dataFolder.ts'
import {
  type Database,
  ensureSchema,
  openDatabase,
  openUsedFile,
  type Row,
  readNumber,
  runInTransaction,
  type Statement,
} from './sqlite.ts'
import { openWitnessFile } from './witnesses.ts'

/** Kept in `PRAGMA user_version`; a program refuses what a newer one wrote. */
export const keyVersion = 3

/**
 * Rows and their index are appended: ids rise. Beside the keys, what was destroyed, and when; with the master key's
 * proof, how many changes they have seen.
 */
export const keySchema = `
  CREATE TABLE keys (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, wrapped BLOB NOT NULL) STRICT;
  CREATE TABLE master (
    one INTEGER PRIMARY KEY CHECK (one = 1), proof BLOB NOT NULL, changes INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE destroyed (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;`

/** The first to open the file leaves the proof of its master key. */
export const keepProofSql = 'INSERT OR IGNORE INTO master (one, proof, changes) VALUES (1, ?, 1)'

export interface EmbeddedKeyStoreOptions {
  /** The data folder; made when it is missing. */
  readonly folder: string
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  readonly clock: Clock
  readonly random: Random
}

/** No other process writes here; a reader is waited for this long, and appends with it. */
const busyMs = 250

const advice =
  'stop the service, keep a copy of it, put back keys.db as it was, or the newest backup of it, and start again'

/**
 * Opens the key store of a data folder; call `inspectKeys` before to find lost keys. Throws an `Error` that names the
 * file when it cannot be used or was made under another master key, without changing it. Every function throws
 * `Failure` `unavailable` when SQLite fails, with a message of its own when the file is damaged.
 */
export function openEmbeddedKeyStore(options: EmbeddedKeyStoreOptions): KeyStore {
  const { masterKey, clock, random } = options
  const wrapping = createKeyWrapping(masterKey, random)
  const folder = openDataFolder(options.folder)
  const database = openKeys(folder.keys, masterKey)
  const witness = openWitnessFile(folder.witness, 'keys')
  const insert = keyInserter(database)
  const find = database.prepare(foundSql)
  const markDestroyed = database.prepare('INSERT OR IGNORE INTO destroyed (id, at) VALUES (?, ?)')
  const remove = database.prepare('DELETE FROM keys WHERE id = ?')
  const count = database.prepare('UPDATE master SET changes = changes + 1 RETURNING changes')
  const guarded = mapStoreErrors({ store: 'key store', file: folder.keys, advice })

  const change = (work: () => void): void => {
    const changes = runInTransaction(database, () => {
      work()
      return Number(count.get()?.['changes'])
    })
    witness.write({ position: changes, id: '' })
  }
  const destroy = (ids: readonly string[], atMs: number): void => {
    change(() => {
      for (const id of ids) {
        markDestroyed.run(id, atMs)
        remove.run(id)
      }
    })
    if (!emptyLog(database)) throw storeUnavailable('key store')
  }
  // also one that is new, or was lost
  witness.write({ position: readKeyChangeCount(database), id: '' })
  return {
    make: guarded((wanted: number) => {
      const keys = newKeys(wanted, { clock, random })
      change(() => insert(keys.map((key) => [key.id, wrapping.wrap(key)])))
      return keys
    }),
    keys: guarded((ids: readonly string[]) => statesOf(recordsOf(find, ids), wrapping.unwrap)),
    destroy: guarded(destroy),
    discard: guarded((ids: readonly string[]) => {
      change(() => {
        for (const id of ids) remove.run(id)
      })
      emptyLog(database)
    }),
    close: guarded(() => {
      witness.close()
      database.close()
    }),
  }
}

/** Rows of one statement: each statement costs more than the row it writes. */
const groupRows = 16

function keyInserter(database: Database) {
  const insertOf = (count: number) =>
    database.prepare(
      `INSERT INTO keys (id, wrapped) VALUES ${Array(count).fill('(?, ?)').join(', ')}`,
    )
  const [group, one] = [insertOf(groupRows), insertOf(1)]
  return (rows: readonly (readonly [id: string, wrapped: Uint8Array])[]): void => {
    const grouped = rows.length - (rows.length % groupRows)
    for (let at = 0; at < grouped; at += groupRows) {
      group.run(...rows.slice(at, at + groupRows).flat())
    }
    for (const row of rows.slice(grouped)) one.run(...row)
  }
}

function statesOf(
  keys: readonly KeyRecord[],
  unwrap: KeyWrapping['unwrap'],
): ReadonlyMap<string, KeyState> {
  return new Map(
    keys.map((key) => [
      key.id,
      'wrapped' in key ? (unwrap(key.id, key.wrapped) ?? 'damaged') : 'destroyed',
    ]),
  )
}

function openKeys(file: string, masterKey: Uint8Array): Database {
  const database = openDatabase({ file, synchronous: 'FULL', secureDelete: true, busyMs })
  try {
    ensureSchema(database, { file, version: keyVersion, sql: keySchema })
    proveMasterKey(database, file, masterKey)
    // a process killed in the middle of `destroy` has deleted the rows and not yet emptied the log
    if (!emptyLog(database)) {
      throw new Error(`Cannot use ${file}: another process is using it; stop it first.`)
    }
    return database
  } catch (error) {
    database.close()
    throw explainStoreFault(error, file)
  }
}

/** Once a proof is left, it must be of the same master key. */
function proveMasterKey(database: Database, file: string, masterKey: Uint8Array): void {
  runInTransaction(database, () => {
    database.prepare(keepProofSql).run(computeMasterKeyProof(masterKey))
  })
  const stored = proofIn(database)
  if (stored && isProofOf(masterKey, stored)) return
  throw new Error(
    `Cannot use ${file}: its keys were made under another master key; start with that one (VIGIL_MASTER_KEY).`,
  )
}

/** How many changes the keys have seen; 0 before the first key. */
export function readKeyChangeCount(database: Database): number {
  return readNumber(database, 'SELECT changes FROM master')
}

/**
 * Moves everything from the write-ahead log into the file and cuts the log to nothing: until then the log holds the
 * bytes of deleted rows. Answers false when another connection is in the way.
 */
function emptyLog(database: Database): boolean {
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {}
  return busy === 0
}

/** Keys of one page. */
const pageMax = 1_000

/** What is on record as destroyed is destroyed, whatever else the file has: a crash may have left both. */
const foundSql = `SELECT asked.value AS id, keys.wrapped AS wrapped, destroyed.at AS at
  FROM json_each(?1) AS asked
  LEFT JOIN keys ON keys.id = asked.value
  LEFT JOIN destroyed ON destroyed.id = asked.value
  WHERE keys.id IS NOT NULL OR destroyed.id IS NOT NULL`

const pageSql = `
  SELECT id, wrapped, NULL AS at FROM keys
  WHERE id > ?1 AND NOT EXISTS (SELECT 1 FROM destroyed WHERE destroyed.id = keys.id)
  UNION ALL SELECT id, NULL, at FROM destroyed WHERE id > ?1
  ORDER BY id LIMIT ?2`

const sizeSql = 'SELECT (SELECT count(*) FROM keys) + (SELECT count(*) FROM destroyed)'

function recordsOf(find: Statement, ids: readonly string[]): readonly KeyRecord[] {
  return find.all(JSON.stringify(ids)).map(keyRecordOf)
}

function keyRecordOf({ id, wrapped, at }: Row): KeyRecord {
  if (at !== null) return { id: String(id), destroyedAtMs: Number(at) }
  return { id: String(id), wrapped: wrapped instanceof Uint8Array ? wrapped : new Uint8Array() }
}

/**
 * Opens a file, which a service may be using, for reading its keys as they are kept in it. Throws an `Error` that names
 * it, as every function does.
 */
export function openKeyRecords(file: string) {
  return createKeyRecords(openUsedFile(file, keyVersion), file)
}

/** The same of a database that is open. */
export function createKeyRecords(database: Database, file: string) {
  const select = database.prepare(pageSql)
  const find = database.prepare(foundSql)
  const answer = async <Answer>(work: () => Answer): Promise<Answer> => {
    try {
      return work()
    } catch (error) {
      throw explainStoreFault(error, file)
    }
  }
  return {
    after: (id: string) => answer(() => select.all(id, pageMax).map(keyRecordOf)),
    /** Those of these ids that there are. */
    lookUp: (ids: readonly string[]) => answer(() => recordsOf(find, ids)),
    size: () => answer(() => readNumber(database, sizeSql)),
    proof: () => answer(() => proofIn(database)),
    close: () => database.close(),
  } satisfies KeyRecords & { lookUp: unknown; close: unknown }
}

/**
 * Opens the file to read keys that were made under this master key, of 32 bytes. Throws an `Error` that names it, as
 * `keys` does.
 */
export function openKeyReader(
  file: string,
  masterKey: Uint8Array,
): Pick<KeyStore, 'keys'> & { readonly close: () => void } {
  const { lookUp, close } = openKeyRecords(file)
  const unwrap = createKeyUnwrapper(masterKey)
  return { keys: async (ids) => statesOf(await lookUp(ids), unwrap), close }
}

/**
 * Whether the keys in the file were made under this master key; also of a file without any. Throws an `Error` that
 * names the file.
 */
export function isMasterKeyOf(file: string, masterKey: Uint8Array): boolean {
  const database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
  try {
    const proof = proofIn(database)
    return proof === undefined || isProofOf(masterKey, proof)
  } finally {
    database.close()
  }
}

function proofIn(database: Database): Uint8Array | undefined {
  const { proof } = database.prepare('SELECT proof FROM master').get() ?? {}
  return proof instanceof Uint8Array ? proof : undefined
}
