/**
 * Copies the sealing keys of a folder that may be in use, wrapped as they are, a piece at a time. To be begun when the log has been
 * copied: a key is on disk before the first event that is sealed under it.
 */

import { setImmediate as turn } from 'node:timers/promises'
import { masterKeyProof } from '../keyWrapping.ts'
import { becomeOneFile, type LogCopyOptions } from './copyLog.ts'
import type { LogEnd } from './insertRows.ts'
import { seeLog } from './keyHistory.ts'
import { keySchema, keyVersion } from './keySchema.ts'
import { hasTable } from './readDatabase.ts'
import { ensureSchema } from './schema.ts'
import { type Database, openDatabase, type Row } from './sqlite.ts'
import { transaction } from './transaction.ts'

export interface KeyCopyOptions extends LogCopyOptions {
  /** The end of the log that the keys are copied for: it is what they have seen of it. Absent: what they say themselves. */
  readonly log?: LogEnd & { readonly atMs: number }
}

export interface KeyCopy {
  readonly keys: number
  /** How many are on record as destroyed. */
  readonly destroyed: number
}

/** Rows read at a time. */
const rowsAtOnce = 2_000

/** Copies what is there when it begins. The copy is one closed file. Throws an `Error` that names the file. */
export async function copyKeys(options: KeyCopyOptions): Promise<KeyCopy> {
  const { from, to } = options
  const source = openDatabase({ file: from, synchronous: 'FULL', readOnly: true })
  try {
    const copy = openDatabase({ file: to, synchronous: 'NORMAL', secureDelete: true })
    try {
      ensureSchema(copy, { file: to, version: keyVersion, sql: keySchema })
      await copyRows(options, source, copy)
      // what was destroyed while its keys were being copied
      copy.exec('DELETE FROM keys WHERE id IN (SELECT id FROM destroyed)')
      if (options.log) seeLog(copy, options.log.position > 0 ? options.log : undefined)
      becomeOneFile(copy)
      return countKeys(copy)
    } finally {
      copy.close()
    }
  } finally {
    source.close()
  }
}

/** How many keys there are, and how many were destroyed. */
export function countKeys(database: Database): KeyCopy {
  const count = (table: string): number =>
    hasTable(database, table)
      ? Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
      : 0
  return { keys: count('keys'), destroyed: count('destroyed') }
}

/** The keys first: one that is destroyed meanwhile is then on record as such. */
async function copyRows(
  { signal, onProgress }: KeyCopyOptions,
  source: Database,
  copy: Database,
): Promise<void> {
  const { keys: total } = countKeys(source)
  const last = Number(source.prepare('SELECT max(number) AS n FROM keys').get()?.['n'] ?? 0)
  const read = source.prepare(
    'SELECT number, id, wrapped FROM keys WHERE number > ? AND number <= ? ORDER BY number LIMIT ?',
  )
  const insert = copy.prepare('INSERT INTO keys (number, id, wrapped) VALUES (?, ?, ?)')
  let copied = 0
  for await (const rows of pagesOf((row) =>
    read.all(Number(row?.['number'] ?? 0), last, rowsAtOnce),
  )) {
    signal.throwIfAborted()
    transaction(copy, () => {
      for (const { number, id, wrapped } of rows) insert.run(number ?? 0, id ?? '', wrapped ?? '')
    })
    copied += rows.length
    onProgress(copied, Math.max(copied, total))
  }
  await copyDestroyed(source, copy)
  for (const table of ['master', 'history', 'log_seen']) copyTable(source, copy, table)
}

async function copyDestroyed(source: Database, copy: Database): Promise<void> {
  if (!hasTable(source, 'destroyed')) return
  const read = source.prepare('SELECT id, at FROM destroyed WHERE id > ? ORDER BY id LIMIT ?')
  const insert = copy.prepare('INSERT INTO destroyed (id, at) VALUES (?, ?)')
  for await (const rows of pagesOf((row) => read.all(String(row?.['id'] ?? ''), rowsAtOnce))) {
    transaction(copy, () => {
      for (const { id, at } of rows) insert.run(id ?? '', at ?? 0)
    })
  }
}

/** A table of one row. */
function copyTable(source: Database, copy: Database, table: string): void {
  if (!hasTable(source, table)) return
  const row = source.prepare(`SELECT * FROM ${table}`).all()[0]
  if (!row) return
  const names = Object.keys(row)
  copy
    .prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    .run(...Object.values(row))
}

async function* pagesOf(
  next: (last: Row | undefined) => readonly Row[],
): AsyncGenerator<readonly Row[], void, undefined> {
  let last: Row | undefined
  for (;;) {
    const rows = next(last)
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)
    // an interruption is heard only between two turns
    await turn()
  }
}

/** Whether the keys in the file were made under this master key; also of a file without any. Throws an `Error` that names the file. */
export function isMasterKeyOf(file: string, masterKey: Uint8Array): boolean {
  const database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
  try {
    const proof = database.prepare('SELECT proof FROM master').all()[0]?.['proof']
    return proof === undefined || sameBytes(proof, masterKeyProof(masterKey))
  } finally {
    database.close()
  }
}

function sameBytes(one: unknown, other: Uint8Array): boolean {
  return one instanceof Uint8Array && Buffer.from(one).equals(other)
}
