/** Opens the embedded read store `views.db`: documents and checkpoints. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type {
  Change,
  Checkpoint,
  CheckpointWitness,
  ReadStore,
  ReadStoreWrites,
} from '../readStore.ts'
import { mapStoreErrors } from './databaseErrors.ts'
import { dataFolderAt } from './dataFolder.ts'
import {
  columnValue,
  dropTable,
  findRows,
  layoutOf,
  loadRow,
  loadRows,
  markReadStoreDamaged,
  missingIndexes,
  openReadStoreFile,
  prepareTable,
  type ReadStoreFileOptions,
  type Statements,
} from './readStoreFile.ts'
import { type Database, type Row, runInTransaction, type Statement } from './sqlite.ts'

/**
 * Opens the read models of a data folder for writing (in the thread that runs the projections) or for reading. For
 * writing, a file that is damaged or of another format is deleted and made anew, which `onRebuild` reports; for reading
 * it must exist. Throws an `Error` that names the file when it cannot be used. Every function throws `Failure`
 * `unavailable` when SQLite fails, with a message of its own when the file is damaged, and an `Error` for a query
 * without an index.
 */
export function openEmbeddedReadStore(options: ReadStoreFileOptions): ReadStore {
  const { nowMs = Date.now } = options
  const database = openReadStoreFile(options)
  const statement = statementsOf(database)
  const file = dataFolderAt(options.folder).views
  const onDamage = () => markReadStoreDamaged(options.folder)
  const guard = mapStoreErrors({ store: 'read store', file, advice, onDamage })
  return {
    get: guard((collection, id) => {
      const found = loadRow(statement, collection, id)
      return found?.body ? { ...found, body: found.body } : undefined
    }) satisfies ReadStore['get'],
    find: guard((collection, find) =>
      findRows(statement, collection, find),
    ) satisfies ReadStore['find'],
    load: guard((collection, ids) =>
      loadRows(statement, collection, ids),
    ) satisfies ReadStore['load'],
    checkpoints: guard(() =>
      statement('SELECT * FROM checkpoints ORDER BY projection, version').all().map(checkpointOf),
    ),
    nowMs: async () => nowMs(),
    ...writesOf({ database, statement, guard }),
    close: guard(() => {
      // Said aloud, because a build of SQLite may keep a closed connection, and so the WAL, until its statements are
      // collected.
      if (!options.readOnly) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
    }),
  }
}

const advice = 'nothing of the history is lost: the next start builds it anew from the log'

interface WriteContext {
  readonly database: Database
  readonly statement: Statements
  readonly guard: ReturnType<typeof mapStoreErrors>
}

/** What writes, each in one transaction. */
function writesOf({ database, statement, guard }: WriteContext): ReadStoreWrites {
  const writing = <Args extends readonly unknown[]>(work: (...args: Args) => void) =>
    guard((...args: Args): void => runInTransaction(database, () => work(...args)))
  const makeIndex = writing((sql: string) => database.exec(sql))
  return {
    commit: writing((commits) => {
      for (const { changes, checkpoint } of commits) {
        for (const change of changes) write(statement, change)
        moveCheckpoint(statement, checkpoint)
      }
    }),
    prepare: writing((collections) => {
      for (const collection of collections) prepareTable(database, collection)
    }),
    completeIndexes: async (collections, signal) => {
      const missing = await guard(() =>
        collections.flatMap((one) => missingIndexes(database, one)),
      )()
      for (const sql of missing) {
        if (signal?.aborted) return false
        await makeIndex(sql)
        // others have their turn in between
        await nextTurn()
      }
      return true
    },
    drop: writing(({ collections, projection, version }) => {
      for (const name of collections) dropTable(database, name, version)
      statement('DELETE FROM checkpoints WHERE projection = ? AND version = ?').run(
        projection,
        version,
      )
    }),
    sweep: writing((collection, position) => {
      const { table } = layoutOf(collection)
      statement(`DELETE FROM ${table} WHERE body IS NULL AND position <= ?`).run(position)
    }),
  }
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
  const { fields, put, remove } = layoutOf(collection)
  const values = fields.map((field) => columnValue(body, field))
  statement(body ? put : remove).run(id, position, body && JSON.stringify(body), ...values)
}

/** Forward only; what was ready once stays so. */
const moveSql = `INSERT INTO checkpoints (projection, version, position, ready, witness, collections)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (projection, version) DO UPDATE SET
    position = excluded.position, ready = max(ready, excluded.ready), witness = excluded.witness,
    collections = excluded.collections
  WHERE position <= excluded.position`

function moveCheckpoint(statement: Statements, checkpoint: Checkpoint): void {
  const { projection, version, position, ready, witness, collections } = checkpoint
  const texts = [witness ? JSON.stringify(witness) : null, JSON.stringify(collections)]
  statement(moveSql).run(projection, version, position, Number(ready), ...texts)
}

function checkpointOf(row: Row): Checkpoint {
  const { projection, version, position, ready, witness, collections } = row
  return {
    projection: String(projection),
    version: Number(version),
    position: Number(position),
    ready: Number(ready) === 1,
    ...(typeof witness === 'string' ? { witness: JSON.parse(witness) as CheckpointWitness } : {}),
    collections: JSON.parse(String(collections)) as readonly string[],
  }
}
