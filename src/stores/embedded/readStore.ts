/** Opens the embedded read store `views.db`: a table per collection version, checkpoints, leases. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Lease, LeaseLost, type Leases } from '../lease.ts'
import type {
  Change,
  Checkpoint,
  Collection,
  Commit,
  DocumentBody,
  ReadStore,
  Witness,
} from '../readStore.ts'
import { guardedFor } from './databaseErrors.ts'
import { dataFolder } from './dataFolder.ts'
import {
  columnsOf,
  fieldsOf,
  missingIndexes,
  openViews,
  prepareTable,
  rowReader,
  tableOf,
  type ViewsOptions,
} from './readStoreFile.ts'
import { type Database, type Row, type SqlValue, type Statement, transaction } from './sqlite.ts'

type Statements = (sql: string) => Statement

/**
 * Opens the read models of a data folder for writing (in the threads that run projections, with or without the lease) or for reading. For
 * writing, a file that is damaged or of another format is deleted and made anew, which `onRebuild` reports; for reading it must exist.
 * Throws an `Error` that names the file when it cannot be used. Every function throws `Failure` `unavailable` when SQLite fails, with a
 * message of its own when the file is damaged, and an `Error` for a query without an index.
 */
export function openEmbeddedReadStore(options: ViewsOptions): ReadStore {
  const { nowMs = Date.now } = options
  const database = openViews(options)
  const statement = statementsOf(database)
  const checkpoints = checkpointStatements(statement)
  const { leases, isNewest } = leasesInMemory(nowMs)
  const file = dataFolder(options.folder).views
  const guard = guardedFor({ store: 'read store', file, wayOn })
  const rows = rowReader(statement)
  const writes = writesOf(database, { statement, checkpoints, guard })

  const store = {
    get: guard(rows.get),
    find: guard(rows.find),
    load: guard(rows.load),
    checkpoints: guard(checkpoints.all),
    nowMs: guard(nowMs),
    leases,
    close: guard(() => {
      // Said aloud, because a build of SQLite may keep a closed connection, and so the WAL, until its statements are collected.
      if (!options.readOnly) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
    }),
  }
  const refuseOthers = (lease: Lease) => () => {
    if (!isNewest(lease)) throw new LeaseLost(lease)
  }
  return {
    ...store,
    ...writes(() => undefined),
    under: (lease) => ({ ...store, ...writes(refuseOthers(lease)) }),
  }
}

const wayOn =
  'nothing of the history is lost: stop Vigil, delete views.db and views.db-wal, and start again, which builds it anew from the log'

interface Writing {
  readonly statement: Statements
  readonly checkpoints: CheckpointStatements
  readonly guard: ReturnType<typeof guardedFor>
}

type Writes = Pick<
  ReadStore,
  'commit' | 'commitTogether' | 'prepare' | 'completeIndexes' | 'drop' | 'sweep'
>

/** What writes, each in one transaction, which nothing comes of where `refuse` throws. */
function writesOf(database: Database, { statement, checkpoints, guard }: Writing) {
  return (refuse: () => void): Writes => {
    const writing = <Args extends readonly unknown[]>(work: (...args: Args) => void) =>
      guard((...args: Args): void =>
        transaction(database, () => {
          refuse()
          work(...args)
        }),
      )
    const commit = ({ changes, checkpoint }: Commit): void => {
      for (const change of changes) write(statement, change)
      checkpoints.move(checkpoint)
    }
    const missing = guard((collections: readonly Collection[]) =>
      collections.flatMap((collection) => missingIndexes(database, collection)),
    )
    const makeIndex = writing((sql: string) => database.exec(sql))
    return {
      commit: writing((changes: readonly Change[], checkpoint: Checkpoint) =>
        commit({ changes, checkpoint }),
      ),
      commitTogether: writing((commits: readonly Commit[]) => {
        for (const one of commits) commit(one)
      }),
      prepare: writing((collections: readonly Collection[]) => {
        for (const collection of collections) prepareTable(database, collection)
      }),
      completeIndexes: async (collections: readonly Collection[], signal?: AbortSignal) =>
        makeInTurns(await missing(collections), makeIndex, signal),
      drop: writing((checkpoint: Checkpoint) => {
        for (const name of checkpoint.collections) dropTable(database, name, checkpoint.version)
        checkpoints.remove(checkpoint)
      }),
      sweep: writing((collection: Collection, position: number) => {
        const dead = `DELETE FROM ${tableOf(collection)} WHERE body IS NULL AND position <= ?`
        statement(dead).run(position)
      }),
    }
  }
}

/** Makes one after the other, others having their turns in between, and begins none once `signal` is aborted. Whether it made all. */
async function makeInTurns(
  indexes: readonly string[],
  make: (sql: string) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const sql of indexes) {
    if (signal?.aborted) return false
    await make(sql)
    await nextTurn()
  }
  return true
}

function statementsOf(database: Database): Statements {
  const prepared = new Map<string, Statement>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
    const made = database.prepare(sql)
    prepared.set(sql, made)
    return made
  }
}

function write(statement: Statements, { collection, id, position, body }: Change): void {
  const text = body && JSON.stringify(body)
  const values: SqlValue[] = [id, position, text]
  for (const field of fieldsOf(collection)) values.push(columnValue(body, field))
  statement(upsert(collection, body === null)).run(...values)
}

const upserts = new WeakMap<Collection, { readonly put: string; readonly remove: string }>()

/** A deletion wins over a document of its own position, since one fold may make a document and delete it. */
function upsert(collection: Collection, removes: boolean): string {
  const known = upserts.get(collection) ?? upsertsOf(collection)
  upserts.set(collection, known)
  return removes ? known.remove : known.put
}

function upsertsOf(collection: Collection): { readonly put: string; readonly remove: string } {
  const columns = columnsOf(collection)
  const marks = columns.map(() => '?').join(', ')
  const set = columns.slice(1).map((column) => `${column} = excluded.${column}`)
  const sql = `INSERT INTO ${tableOf(collection)} (${columns.join(', ')}) VALUES (${marks})
    ON CONFLICT (id) DO UPDATE SET ${set.join(', ')} WHERE position`
  return {
    put: `${sql} < excluded.position`,
    remove: `${sql} < excluded.position OR (position = excluded.position AND body IS NOT NULL)`,
  }
}

function columnValue(body: DocumentBody | null, field: string): SqlValue {
  const value = body?.[field]
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  throw new Error(`an indexed field must be text, a number or a bool: ${field}`)
}

function dropTable(database: Database, name: string, version: number): void {
  const collection: Collection = { name, version, indexes: [] }
  database.exec(`DROP TABLE IF EXISTS ${tableOf(collection)}`)
  database.prepare('DELETE FROM collections WHERE name = ? AND version = ?').run(name, version)
}

interface CheckpointStatements {
  /** Moves a checkpoint forward, or leaves it. */
  readonly move: (checkpoint: Checkpoint) => void
  readonly all: () => readonly Checkpoint[]
  readonly remove: (checkpoint: Checkpoint) => void
}

const moveSql = `INSERT INTO checkpoints (projection, version, position, ready, witness, collections)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (projection, version) DO UPDATE SET
    position = excluded.position, ready = excluded.ready, witness = excluded.witness,
    collections = excluded.collections
  WHERE position <= excluded.position`

/** The functions over the checkpoint table; `statement` prepares SQL, once. */
function checkpointStatements(statement: (sql: string) => Statement): CheckpointStatements {
  const isReady = ({ projection, version }: Checkpoint): boolean => {
    const known = 'SELECT * FROM checkpoints WHERE projection = ? AND version = ?'
    const row = statement(known).get(projection, version)
    return row !== undefined && read(row).ready
  }
  return {
    move: (checkpoint) => {
      // what was ready once stays so; only who is not has to ask
      const row = rowOf(checkpoint, checkpoint.ready || isReady(checkpoint))
      const { projection, version, position, ready, witness, collections } = row
      statement(moveSql).run(projection, version, position, ready, witness, collections)
    },
    all: () => statement('SELECT * FROM checkpoints ORDER BY projection, version').all().map(read),
    remove: ({ projection, version }) => {
      statement('DELETE FROM checkpoints WHERE projection = ? AND version = ?').run(
        projection,
        version,
      )
    },
  }
}

function rowOf(
  { projection, version, position, witness, collections }: Checkpoint,
  ready: boolean,
) {
  return {
    projection,
    version,
    position,
    ready: Number(ready),
    witness: witness ? JSON.stringify(witness) : null,
    collections: JSON.stringify(collections),
  }
}

function read(row: Row): Checkpoint {
  const { projection, version, position, ready, witness, collections } = row
  return {
    projection: String(projection),
    version: Number(version),
    position: Number(position),
    ready: Number(ready) === 1,
    ...(typeof witness === 'string' ? { witness: JSON.parse(witness) as Witness } : {}),
    collections: JSON.parse(String(collections)) as readonly string[],
  }
}

/**
 * The leases of the process that has the folder, in its memory: no other process can have it, and what was leased in an earlier one has ended
 * with it.
 */
function leasesInMemory(nowMs: () => number) {
  const newest = new Map<string, Lease & { readonly endsMs: number }>()
  const isNewest = ({ name, fence }: Lease): boolean => newest.get(name)?.fence === fence
  const give = (lease: Lease, endsMs: number): void =>
    void newest.set(lease.name, { ...lease, endsMs })
  const leases: Leases = {
    acquire: async ({ name, owner, forMs }) => {
      const known = newest.get(name)
      const aheadMs = (known?.endsMs ?? 0) - nowMs()
      if (known && known.owner !== owner && aheadMs > 0 && aheadMs <= forMs) return undefined
      const lease = { name, owner, fence: (known?.fence ?? 0) + 1 }
      give(lease, nowMs() + forMs)
      return lease
    },
    renew: async (lease, forMs) => {
      if (isNewest(lease)) give(lease, nowMs() + forMs)
      return isNewest(lease)
    },
    release: async (lease) => {
      if (isNewest(lease)) give(lease, 0)
    },
    holder: async (name) => {
      const known = newest.get(name)
      return known && { owner: known.owner, fence: known.fence, isHeld: known.endsMs > nowMs() }
    },
  }
  return { leases, isNewest }
}
