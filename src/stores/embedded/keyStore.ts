/** The embedded key store: `keys.db`, one row a key, wrapped; a destroyed key leaves the file and its write-ahead log, but for its id. */

import { timingSafeEqual } from 'node:crypto'
import type { Chance, Clock } from '../../domain/clock.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import type { KeyState } from '../../events/recording/sealing.ts'
import type { KeyStore, SealingKey } from '../keyStore.ts'
import { type KeyWrapping, keyWrapping } from '../keyWrapping.ts'
import { newKeys } from '../newKeys.ts'
import {
  damagedStore,
  fileRefusal,
  isDamage,
  openRefusal,
  troubleOf,
  unavailable,
} from './databaseTrouble.ts'
import { type DataFolder, openDataFolder } from './dataFolder.ts'
import {
  type Database,
  ensureSchema,
  hasTable,
  openDatabase,
  type Row,
  transaction,
} from './sqlite.ts'
import { type Mark, openWitnessFile } from './witnesses.ts'

export interface EmbeddedKeyStoreOptions {
  /** The data folder; made when it is missing. */
  readonly folder: string
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  readonly clock: Clock
  readonly chance: Chance
}

/** No other process writes here; a reader is waited for this long, on the thread that serves requests. */
const busyTimeoutMs = 250

/**
 * Opens the key store of a data folder; what it has lost is known to `inspectKeys`, to be asked before. Throws an `Error` that names the
 * file when it cannot be used, also when it was made under another master key; nothing is changed then. Every function throws `Failure`
 * `unavailable` when SQLite fails, one that says so when the file is damaged.
 */
export function openEmbeddedKeyStore(options: EmbeddedKeyStoreOptions): KeyStore {
  const { masterKey, clock, chance } = options
  const wrapping = keyWrapping(masterKey, chance)
  const folder = openDataFolder(options.folder)
  const database = openKeys(folder.keys, wrapping)
  const history = openHistory(database, { folder, clock, chance })
  const insert = keyInserter(database)
  const bury = database.prepare('INSERT OR IGNORE INTO destroyed (id, at) VALUES (?, ?)')
  const recent = database.prepare('SELECT id FROM destroyed WHERE at >= ?')
  const remove = database.prepare('DELETE FROM keys WHERE id = ?')
  const guarded = guardedFor(folder.keys)

  const change = (work: () => void): void => {
    transaction(database, () => {
      work()
      history.note()
    })
    history.tell()
  }

  const add = (keys: readonly SealingKey[]): void => {
    const rows = keys.map((key) => [key.id, wrapping.wrap(key)] as const)
    change(() => insert(rows))
  }

  const destroy = (ids: readonly string[], atMs: number): void => {
    change(() => {
      for (const id of ids) {
        bury.run(id, atMs)
        remove.run(id)
      }
    })
    if (!emptyLog(database)) throw unavailable('key store')
  }

  return {
    make: guarded((count: number) => {
      const keys = newKeys(count, { clock, chance })
      add(keys)
      return keys
    }),
    add: guarded(add),
    keys: guarded(keyFinder(database, wrapping)),
    destroy: guarded(destroy),
    destroyedSince: guarded((atMs: number) => recent.all(atMs).map(({ id }) => String(id))),
    discard: guarded((ids: readonly string[]) => {
      change(() => {
        for (const id of ids) remove.run(id)
      })
      emptyLog(database)
    }),
    close: guarded(() => {
      history.close()
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
    const inGroups = rows.length - (rows.length % groupRows)
    for (let at = 0; at < inGroups; at += groupRows) {
      group.run(...rows.slice(at, at + groupRows).flat())
    }
    for (const row of rows.slice(inGroups)) one.run(...row)
  }
}

function keyFinder(database: Database, wrapping: KeyWrapping) {
  const rowsOf = keyRows(database)
  const stateOf = ({ id, wrapped, destroyedAtMs }: KeyRow): KeyState => {
    if (destroyedAtMs !== undefined) return 'destroyed'
    return (wrapped && wrapping.unwrap(id, wrapped)) ?? 'damaged'
  }
  return (ids: readonly string[]): ReadonlyMap<string, KeyState> =>
    new Map(rowsOf(ids).map((row) => [row.id, stateOf(row)]))
}

function openKeys(file: string, wrapping: KeyWrapping): Database {
  const database = openDatabase({ file, synchronous: 'FULL', secureDelete: true })
  try {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    ensureSchema(database, { file, version: keyVersion, sql: keySchema })
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

function openHistory(database: Database, options: KeyHistoryOptions): KeyHistory {
  try {
    return openKeyHistory(database, options)
  } catch (error) {
    database.close()
    throw openRefusal(error, options.folder.witness)
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

const damaged =
  'the file is damaged; stop the service, keep a copy of it, put back keys.db as it was, or the newest backup of it, and start again'

/** Makes a synchronous function answer by promise, with the failures of SQLite as the port names them. */
function guardedFor(file: string) {
  return <Args extends readonly unknown[], Result>(work: (...args: Args) => Result) =>
    async (...args: Args): Promise<Result> => {
      try {
        return work(...args)
      } catch (error) {
        if (troubleOf(error) === undefined) throw error
        if (isDamage(error)) throw damagedStore('key store', fileRefusal(file, damaged, error))
        throw unavailable('key store', openRefusal(error, file))
      }
    }
}

/** A key as it stands in its file: its secret wrapped by the master key, when it was destroyed, or both after a crash between the two. */
export interface KeyRow {
  readonly id: string
  readonly wrapped: Uint8Array | undefined
  readonly destroyedAtMs: number | undefined
}

/** Keys of one statement. */
const idsMax = 1_000

/** What finds those of these ids that there are. Throws what SQLite throws. */
export function keyRows(database: Database): (ids: readonly string[]) => readonly KeyRow[] {
  const statement = database.prepare(rowsSql)
  return (ids) => {
    const rows: KeyRow[] = []
    for (let from = 0; from < ids.length; from += idsMax) {
      const asked = JSON.stringify(ids.slice(from, from + idsMax))
      for (const row of statement.all(asked)) rows.push(keyRowOf(row))
    }
    return rows
  }
}

const rowsSql = `SELECT asked.value AS id, keys.wrapped AS wrapped, destroyed.at AS at
          FROM json_each(?1) AS asked
          LEFT JOIN keys ON keys.id = asked.value
          LEFT JOIN destroyed ON destroyed.id = asked.value
          WHERE keys.id IS NOT NULL OR destroyed.id IS NOT NULL`

function keyRowOf({ id, wrapped, at }: Row): KeyRow {
  return {
    id: String(id),
    wrapped: wrapped instanceof Uint8Array ? wrapped : undefined,
    destroyedAtMs: at === null || at === undefined ? undefined : Number(at),
  }
}

/** Kept in `PRAGMA user_version`; a program refuses what a newer one wrote. */
export const keyVersion = 2

/** Rows and their index are appended: ids rise. Beside the keys, what was destroyed, and when; how many changes they have seen, with an id of the last. */
export const keySchema = `
  CREATE TABLE keys (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, wrapped BLOB NOT NULL) STRICT;
  CREATE TABLE master (one INTEGER PRIMARY KEY CHECK (one = 1), proof BLOB NOT NULL) STRICT;
  CREATE TABLE destroyed (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX destroyed_at ON destroyed (at);
  CREATE TABLE history (
    one INTEGER PRIMARY KEY CHECK (one = 1), changes INTEGER NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT;`

interface KeyHistory {
  /** To be called inside the transaction that changes the keys. */
  readonly note: () => void
  /** To be called after it: the witness file knows of the last change from then on. Throws what the disk says. */
  readonly tell: () => void
  readonly close: () => void
}

interface KeyHistoryOptions {
  readonly folder: Pick<DataFolder, 'witness'>
  readonly clock: Clock
  readonly chance: Chance
}

/** Opens the history in a database, begins it in a new one, and has the witness know of it. Throws what the disk says. */
function openKeyHistory(
  database: Database,
  { folder, clock, chance }: KeyHistoryOptions,
): KeyHistory {
  const change = database.prepare(
    `INSERT INTO history (one, changes, id, at) VALUES (1, 1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET changes = changes + 1, id = excluded.id, at = excluded.at`,
  )
  const witness = openWitnessFile(folder.witness, 'keys')
  const history: KeyHistory = {
    note: () => {
      change.run(uuidV7(clock, chance), clock.nowMs())
    },
    tell: () => {
      const mark = lastChange(database)
      if (mark) witness.write(mark)
    },
    close: witness.close,
  }
  if (!lastChange(database)) transaction(database, history.note)
  history.tell()
  return history
}

/** The last change of the keys: its number is its position. Undefined before the first. */
export function lastChange(database: Database): Mark | undefined {
  const [row] = hasTable(database, 'history')
    ? database.prepare('SELECT changes, id, at FROM history').all()
    : []
  if (!row) return undefined
  const { changes, id, at } = row
  return { position: Number(changes), id: String(id), checksum: 0, atMs: Number(at) }
}
