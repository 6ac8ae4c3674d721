/** Makes the tables of a new file and refuses files of another version. */

import type { Database } from './sqlite.ts'
import { transaction } from './transaction.ts'

export interface Schema {
  /** Names the file in refusals. */
  readonly file: string
  /** Kept in `PRAGMA user_version`; 1 or more. */
  readonly version: number
  /** Makes everything; run once, in one transaction with the version. */
  readonly sql: string
  /** What brings a file of an older version to the next one, by the older. */
  readonly upgrades?: Readonly<Record<number, string>>
}

/** Makes the schema in an empty database, or brings an older one up. Throws when the file has tables of somebody else or a later version. */
export function ensureSchema(database: Database, schema: Schema): void {
  const { file, version, sql, upgrades = {} } = schema
  const found = numberOf(database, 'PRAGMA user_version', 'user_version')
  if (found === version) return
  if (found > version) {
    throw new Error(
      `Cannot use ${file}: a newer version of the program wrote it (format ${found}, this one knows ${version}).`,
    )
  }
  if (found > 0 && upgrades[found] !== undefined) {
    transaction(database, () => {
      for (let from = found; from < version; from += 1) database.exec(upgrades[from] ?? '')
      database.exec(`PRAGMA user_version = ${version}`)
    })
    return
  }
  if (found !== 0 || numberOf(database, 'SELECT count(*) AS n FROM sqlite_schema', 'n') > 0) {
    throw new Error(`Cannot use ${file}: it is a database of something else (format ${found}).`)
  }
  transaction(database, () => {
    database.exec(sql)
    database.exec(`PRAGMA user_version = ${version}`)
  })
}

function numberOf(database: Database, sql: string, column: string): number {
  return Number(database.prepare(sql).get()?.[column])
}
