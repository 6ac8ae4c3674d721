/** The embedded snapshot store: `snapshots.db`, which may be deleted at any time. */

import { rmSync } from 'node:fs'
import type { PartPlace, SnapshotHead, SnapshotStore } from '../snapshotStore.ts'
import { isDamage } from './databaseTrouble.ts'
import { dataFolder } from './dataFolder.ts'
import { ensureSchema } from './schema.ts'
import { type Database, openDatabase } from './sqlite.ts'
import { transaction } from './transaction.ts'

/** Kept in `PRAGMA user_version`; a file of another number is made anew. */
const format = 1

const schema = `
  CREATE TABLE heads (stream TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, head TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE parts (
    stream TEXT NOT NULL, revision INTEGER NOT NULL, part INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (stream, revision, part)
  );`

const publishSql = `INSERT INTO heads (stream, revision, head) VALUES (?, ?, ?)
  ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision, head = excluded.head WHERE revision <= excluded.revision`

/**
 * Opens the snapshots of a data folder; a file that is damaged or of another format is deleted and made anew. Throws an `Error` that
 * names the file when it cannot be used. Every function throws what SQLite throws.
 */
export function openEmbeddedSnapshotStore(folder: string): SnapshotStore {
  const file = dataFolder(folder).snapshots
  const database = opened(folder, file)
  const statement = (sql: string) => database.prepare(sql)
  const newest = statement('SELECT head FROM heads WHERE stream = ?')
  const part = statement('SELECT body FROM parts WHERE stream = ? AND revision = ? AND part = ?')
  const putPart = statement(
    'INSERT OR REPLACE INTO parts (stream, revision, part, body) VALUES (?, ?, ?, ?)',
  )
  const publish = statement(publishSql)
  const removeOlder = statement('DELETE FROM parts WHERE stream = ? AND revision < ?')
  const removeHead = statement('DELETE FROM heads WHERE stream = ? AND revision <= ?')
  const removeParts = statement('DELETE FROM parts WHERE stream = ? AND revision <= ?')

  return {
    newest: async (stream) => {
      const row = newest.get(stream)
      return row && (JSON.parse(String(row['head'])) as SnapshotHead)
    },
    part: async (place) => {
      const row = part.get(...placeOf(place))
      return row && String(row['body'])
    },
    putPart: async (place, text) => {
      putPart.run(...placeOf(place), text)
    },
    publish: async (head) =>
      transaction(database, () => {
        publish.run(head.stream, head.revision, JSON.stringify(head))
        removeOlder.run(head.stream, head.revision)
      }),
    drop: async ({ stream, revision }) =>
      transaction(database, () => {
        removeHead.run(stream, revision)
        removeParts.run(stream, revision)
      }),
    close: async () => database.close(),
  }
}

function placeOf({ stream, revision, part }: PartPlace): [string, number, number] {
  return [stream, revision, part]
}

function opened(folder: string, file: string): Database {
  try {
    return withSchema(file)
  } catch (error) {
    if (!isDamage(error) && !isOtherFormat(error)) throw error
    removeSnapshots(folder)
    return withSchema(file)
  }
}

/** Deletes the snapshots of a data folder. */
export function removeSnapshots(folder: string): void {
  const { snapshots } = dataFolder(folder)
  for (const beside of ['', '-wal', '-shm']) rmSync(`${snapshots}${beside}`, { force: true })
}

class OtherFormat extends Error {}

function isOtherFormat(error: unknown): boolean {
  return error instanceof OtherFormat
}

function withSchema(file: string): Database {
  const database = openDatabase({ file, synchronous: 'NORMAL' })
  try {
    const [found] = Object.values(database.prepare('PRAGMA user_version').get() ?? {})
    if (found !== 0 && found !== format) throw new OtherFormat(`${file} has format ${found}`)
    ensureSchema(database, { file, version: format, sql: schema })
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
