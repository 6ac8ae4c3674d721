/** The embedded key store: `keys.db`, one row a key, wrapped; a destroyed key leaves the file and its write-ahead log. */

import { timingSafeEqual } from 'node:crypto'
import type { Chance } from '../../domain/clock.ts'
import type { KeyStore, SealingKey } from '../keyStore.ts'
import { type KeyWrapping, keyWrapping } from '../keyWrapping.ts'
import { openRefusal, troubleOf, unavailable } from './databaseTrouble.ts'
import { openDataFolder } from './dataFolder.ts'
import { ensureSchema } from './schema.ts'
import { type Database, openDatabase } from './sqlite.ts'
import { transaction } from './transaction.ts'

export interface EmbeddedKeyStoreOptions {
  /** The data folder; made when it is missing. */
  readonly folder: string
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  readonly chance: Chance
}

const format = 1
/** No other process writes here; a reader is waited for this long, on the thread that serves requests. */
const busyTimeoutMs = 250
// rows are appended, so that a new key never moves an old one; the ids are random and only their index is shuffled
const schema = `
  CREATE TABLE keys (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, wrapped BLOB NOT NULL) STRICT;
  CREATE TABLE master (one INTEGER PRIMARY KEY CHECK (one = 1), proof BLOB NOT NULL) STRICT;
`

/**
 * Opens the key store of a data folder. Throws an `Error` that names the file when it cannot be used, also when it was made under
 * another master key; nothing is changed then. Every function throws `Failure` `unavailable` when SQLite fails.
 */
export function openEmbeddedKeyStore(options: EmbeddedKeyStoreOptions): KeyStore {
  const wrapping = keyWrapping(options.masterKey, options.chance)
  const { keys: file } = openDataFolder(options.folder)
  const database = openKeys(file, wrapping)
  const guarded = guardedFor(file)
  const select = database.prepare('SELECT wrapped FROM keys WHERE id = ?')
  const insert = database.prepare('INSERT INTO keys (id, wrapped) VALUES (?, ?)')
  const remove = database.prepare('DELETE FROM keys WHERE id = ?')

  const add = (keys: readonly SealingKey[]): void => {
    const rows = keys.map((key) => [key.id, wrapping.wrap(key)] as const)
    transaction(database, () => {
      for (const row of rows) insert.run(...row)
    })
  }

  const find = (ids: readonly string[]): readonly SealingKey[] =>
    [...new Set(ids)].flatMap((id) => {
      const { wrapped } = select.get(id) ?? {}
      return wrapped instanceof Uint8Array ? [wrapping.unwrap(id, wrapped)] : []
    })

  const destroy = (ids: readonly string[]): void => {
    transaction(database, () => {
      for (const id of ids) remove.run(id)
    })
    if (!emptyLog(database)) throw unavailable('key store')
  }

  return {
    add: guarded(add),
    keys: guarded(find),
    destroy: guarded(destroy),
    close: guarded(() => database.close()),
  }
}

function openKeys(file: string, wrapping: KeyWrapping): Database {
  const database = openDatabase({ file, synchronous: 'FULL', secureDelete: true })
  try {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    ensureSchema(database, { file, version: format, sql: schema })
    proveMasterKey(database, file, wrapping)
    // a process killed in the middle of `destroy` has deleted the rows and not yet emptied the log
    if (!emptyLog(database)) {
      throw new Error(`Cannot use ${file}: another process is using it; stop it first.`)
    }
    return database
  } catch (error) {
    database.close()
    throw troubleOf(error) === undefined ? error : openRefusal(error, file)
  }
}

/** The first to open the file leaves the proof of its master key; everybody after must have the same. */
function proveMasterKey(database: Database, file: string, { proof }: KeyWrapping): void {
  transaction(database, () => {
    database.prepare('INSERT OR IGNORE INTO master (one, proof) VALUES (1, ?)').run(proof)
  })
  const { proof: kept } = database.prepare('SELECT proof FROM master').get() ?? {}
  const same =
    kept instanceof Uint8Array && kept.length === proof.length && timingSafeEqual(kept, proof)
  if (!same) {
    throw new Error(
      `Cannot use ${file}: its keys were made under another master key; start with that one (VIGIL_MASTER_KEY).`,
    )
  }
}

/**
 * Moves everything from the write-ahead log into the file and cuts the log to nothing: until then the log holds the bytes of
 * deleted rows. Answers false when another connection is in the way.
 */
function emptyLog(database: Database): boolean {
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {}
  return busy === 0
}

/** Makes a synchronous function answer by promise, with the failures of SQLite as the port names them. */
function guardedFor(file: string) {
  return <Args extends readonly unknown[], Result>(work: (...args: Args) => Result) =>
    async (...args: Args): Promise<Result> => {
      try {
        return work(...args)
      } catch (error) {
        if (troubleOf(error) === undefined) throw error
        throw unavailable('key store', openRefusal(error, file))
      }
    }
}
