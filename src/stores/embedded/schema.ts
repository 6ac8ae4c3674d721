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
}

/** Makes the schema in an empty database. Throws when the file has tables of another version or of somebody else. */
export function ensureSchema(database: Database, { file, version, sql }: Schema): void {
  const found = numberOf(database, 'PRAGMA user_version', 'user_version')
  if (found === version) return
  if (found > version) {
    throw new Error(
      `Cannot use ${file}: a newer version of the program wrote it (format ${found}, this one knows ${version}).`,
    )
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
