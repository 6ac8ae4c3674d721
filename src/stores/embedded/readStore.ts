/** The embedded read store: `views.db`, one table for each version of a collection. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Lease, LeaseLost } from '../lease.ts'
import type {
  Change,
  Checkpoint,
  Collection,
  Commit,
  DocumentBody,
  ReadStore,
} from '../readStore.ts'
import { type CheckpointStatements, checkpointStatements } from './readStoreCheckpoints.ts'
import { guarded, refuseDamaged } from './readStoreDamage.ts'
import { openViews, type ViewsOptions } from './readStoreFile.ts'
import { leaseStatements } from './readStoreLeases.ts'
import { rowReader } from './readStoreRows.ts'
import {
  columnsOf,
  fieldsOf,
  isEmpty,
  missingIndexes,
  prepareTable,
  tableOf,
} from './readStoreTables.ts'
import type { Database, SqlValue, Statement } from './sqlite.ts'
import { transaction } from './transaction.ts'

type Statements = (sql: string) => Statement

/**
 * Opens the read models of a data folder: for writing (by the threads that project, or would if they had the lease) or for reading. For writing, a file
 * that is damaged or of another format is deleted and made anew, and `onRebuild` is told; for reading it must exist. Throws an
 * `Error` that names the file when it cannot be used. Every function throws `Failure` `unavailable` when SQLite fails, one that says so when
 * the file is damaged, and an `Error` when it is asked what the collection has no index for. Asked for the checkpoints, one for reading
 * says what any thread or process has met.
 */
export function openEmbeddedReadStore(options: ViewsOptions): ReadStore {
  const { nowMs = Date.now, session = '' } = options
  const database = openViews(options)
  const statement = statementsOf(database)
  const checkpoints = checkpointStatements(statement)
  const leases = leaseStatements(statement, { nowMs, session })
  const guard = guarded(options)
  const rows = rowReader(statement)
  const writes = writesOf(database, { statement, checkpoints, guard })

  const store = {
    get: guard(rows.get),
    find: guard(rows.find),
    load: guard(rows.load),
    checkpoints: guard(() => {
      if (options.readOnly) refuseDamaged(options)
      return checkpoints.all()
    }),
    nowMs: guard(nowMs),
    leases: {
      acquire: guard(leases.acquire),
      renew: guard(leases.renew),
      release: guard(leases.release),
      holder: guard(leases.holder),
    },
    close: guard(() => {
      // Said aloud, because a build of SQLite may keep a closed connection, and so the WAL, until its statements are collected.
      if (!options.readOnly) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
    }),
  }
  const holding = (lease: Lease): Holding => ({
    refuse: () => {
      if (!leases.isNewest(lease)) throw new LeaseLost(lease)
    },
    long: (work) => {
      const begunMs = nowMs()
      work()
      leases.putOff(lease, nowMs() - begunMs)
    },
  })
  return {
    ...store,
    ...writes(heldByNobody),
    under: (lease) => ({ ...store, ...writes(holding(lease)) }),
  }
}

interface Writing {
  readonly statement: Statements
  readonly checkpoints: CheckpointStatements
  readonly guard: ReturnType<typeof guarded>
}

/** For whom it is written. */
interface Holding {
  /** Throws when nothing may be written any more. */
  readonly refuse: () => void
  /** Does what may take as long as a lease, which the same thread would have to renew, and does not count it. */
  readonly long: (work: () => void) => void
}

const heldByNobody: Holding = { refuse: () => undefined, long: (work) => work() }

type Writes = Pick<
  ReadStore,
  'commit' | 'commitTogether' | 'prepare' | 'completeIndexes' | 'drop' | 'sweep'
>

/** What writes, each in one transaction that `refuse` may refuse. */
function writesOf(database: Database, { statement, checkpoints, guard }: Writing) {
  return ({ refuse, long }: Holding): Writes => {
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
    // they take no time: one transaction and no turn between them, so that a short log is read as fast as with indexes from the start
    const makeOfEmpty = writing((collections: readonly Collection[]) => {
      for (const collection of collections.filter((one) => isEmpty(database, one))) {
        for (const sql of missingIndexes(database, collection)) database.exec(sql)
      }
    })
    const makeIndex = writing((sql: string) => long(() => database.exec(sql)))
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
      completeIndexes: async (collections: readonly Collection[], signal?: AbortSignal) => {
        if ((await missing(collections)).length === 0) return true
        await makeOfEmpty(collections)
        return makeInTurns(await missing(collections), makeIndex, signal)
      },
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
