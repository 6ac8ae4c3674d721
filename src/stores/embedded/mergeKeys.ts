/** Adds the sealing keys of one file to another, so that restoring an older copy loses none and brings none back that was destroyed. */

import type { Chance, Clock } from '../../domain/clock.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { becomeOneFile } from './copyLog.ts'
import { isDamage, openRefusal, troubleOf } from './databaseTrouble.ts'
import { lastChange } from './keyStore.ts'
import { type Database, hasTable, openDatabase, type Row, transaction } from './sqlite.ts'

export interface KeyMerge {
  /** Closed files of the newest version and of any. */
  readonly into: string
  readonly from: string
  readonly clock: Clock
  readonly chance: Chance
}

export interface MergedKeys {
  /** Keys that only the other file had. */
  readonly added: number
  /** Keys that the other file has on record as destroyed and that this one still had. */
  readonly destroyed: number
}

/**
 * Undefined, with nothing changed, when the other file is damaged or its keys were made under another master key. Throws an `Error` that
 * names a file.
 */
export function mergeKeys({ into, from, clock, chance }: KeyMerge): MergedKeys | undefined {
  let source: Database | undefined
  const target = openDatabase({ file: into, synchronous: 'FULL', secureDelete: true })
  try {
    source = openDatabase({ file: from, synchronous: 'FULL', readOnly: true })
    if (!sameMaster(source, target)) return undefined
    const merged = mergeRows(source, target, [uuidV7(clock, chance), clock.nowMs()])
    becomeOneFile(target)
    return merged
  } catch (error) {
    if (isDamage(error)) return undefined
    throw troubleOf(error) === undefined ? error : openRefusal(error, from)
  } finally {
    source?.close()
    target.close()
  }
}

function sameMaster(source: Database, target: Database): boolean {
  const [one, other] = [source, target].map(proofIn)
  return one !== undefined && other !== undefined && one.equals(other)
}

function proofIn(database: Database): Buffer | undefined {
  if (!hasTable(database, 'master')) return undefined
  const proof = database.prepare('SELECT proof FROM master').all()[0]?.['proof']
  return proof instanceof Uint8Array ? Buffer.from(proof) : undefined
}

/** In one transaction: a damaged page of the source leaves the target as it was. The history goes on behind the later of both. */
function mergeRows(
  source: Database,
  target: Database,
  [id, atMs]: readonly [string, number],
): MergedKeys {
  return transaction(target, () => {
    const bury = target.prepare('INSERT OR IGNORE INTO destroyed (id, at) VALUES (?, ?)')
    if (hasTable(source, 'destroyed')) {
      const destroyed = { question: 'SELECT id AS number, id, at FROM destroyed', before: '' }
      each(source, destroyed, (row) => {
        bury.run(row['id'] ?? '', row['at'] ?? 0)
      })
    }
    const gone = target.prepare('DELETE FROM keys WHERE id IN (SELECT id FROM destroyed)').run()
    const insert = target.prepare(
      `INSERT INTO keys (id, wrapped) SELECT ?1, ?2
       WHERE NOT EXISTS (SELECT 1 FROM destroyed WHERE id = ?1) ON CONFLICT (id) DO NOTHING`,
    )
    let added = 0
    const keys = { question: 'SELECT number, id, wrapped FROM keys', before: 0 }
    each(source, keys, (row) => {
      added += Number(insert.run(row['id'] ?? '', row['wrapped'] ?? '').changes)
    })
    const changes = Math.max(...[source, target].map((one) => lastChange(one)?.position ?? 0)) + 1
    target
      .prepare('INSERT OR REPLACE INTO history (one, changes, id, at) VALUES (1, ?, ?, ?)')
      .run(changes, id, atMs)
    return { added, destroyed: Number(gone.changes) }
  })
}

const rowsAtOnce = 2_000

interface Rows {
  /** Answers `number` among its columns, by which the rows are ordered. */
  readonly question: string
  /** Before all of them. */
  readonly before: string | number
}

/** All rows, a page at a time. */
function each(database: Database, { question, before }: Rows, work: (row: Row) => void): void {
  const page = database.prepare(
    `SELECT * FROM (${question}) WHERE number > ? ORDER BY number LIMIT ${rowsAtOnce}`,
  )
  let rows = page.all(before)
  while (rows.length > 0) {
    for (const row of rows) work(row)
    rows = page.all(rows.at(-1)?.['number'] ?? before)
  }
}
