/** Keys by their ids: many with one statement, since each statement takes longer than finding the key. */

import { hasTable } from './readDatabase.ts'
import type { Database, Row } from './sqlite.ts'

/** A key as it stands in its file: its secret wrapped by the master key, when it was destroyed, or both after a crash between the two. */
export interface KeyRow {
  readonly id: string
  readonly wrapped: Uint8Array | undefined
  readonly destroyedAtMs: number | undefined
}

/** Keys of one statement. */
const idsMax = 1_000

/** What finds those of these ids that there are, also in a file of the first version. Throws what SQLite throws. */
export function keyRows(database: Database): (ids: readonly string[]) => readonly KeyRow[] {
  const statement = database.prepare(sqlOf(hasTable(database, 'destroyed')))
  return (ids) => {
    const rows: KeyRow[] = []
    for (let from = 0; from < ids.length; from += idsMax) {
      const asked = JSON.stringify(ids.slice(from, from + idsMax))
      for (const row of statement.all(asked)) rows.push(keyRowOf(row))
    }
    return rows
  }
}

function sqlOf(hasDestroyed: boolean): string {
  if (!hasDestroyed) {
    return `SELECT asked.value AS id, keys.wrapped AS wrapped, NULL AS at
            FROM json_each(?1) AS asked JOIN keys ON keys.id = asked.value`
  }
  return `SELECT asked.value AS id, keys.wrapped AS wrapped, destroyed.at AS at
          FROM json_each(?1) AS asked
          LEFT JOIN keys ON keys.id = asked.value
          LEFT JOIN destroyed ON destroyed.id = asked.value
          WHERE keys.id IS NOT NULL OR destroyed.id IS NOT NULL`
}

function keyRowOf({ id, wrapped, at }: Row): KeyRow {
  return {
    id: String(id),
    wrapped: wrapped instanceof Uint8Array ? wrapped : undefined,
    destroyedAtMs: at === null || at === undefined ? undefined : Number(at),
  }
}
