/** A database that fails as a disk does: at a statement of the test's choice, with SQLite's own error. */

import { type Database, openDatabase, type Row } from '../../../src/stores/embedded/sqlite.ts'

export interface FailingDatabase {
  readonly open: typeof openDatabase
  /** From now on statements whose text begins with `sql` fail with this result code; `undefined` heals. */
  fail:
    | { readonly sql: string; readonly errcode: number; readonly afterwards?: boolean }
    | undefined
  /** From now on `get` of this statement finds this row. */
  answer: { readonly sql: string; readonly row: Row } | undefined
  /** The statements run so far that change or end something. */
  readonly run: string[]
}

export function failingDatabase(): FailingDatabase {
  const failing: FailingDatabase = {
    fail: undefined,
    answer: undefined,
    run: [],
    open: (options) => wrap(openDatabase(options), failing),
  }
  return failing
}

function wrap(database: Database, failing: FailingDatabase): Database {
  const attempt = <Result>(sql: string, work: () => Result): Result => {
    failing.run.push(sql)
    const { fail } = failing
    if (!fail || !sql.trimStart().startsWith(fail.sql)) return work()
    // A sync that fails may have written all the same.
    if (fail.afterwards) work()
    throw Object.assign(new Error(`failed with ${fail.errcode}`), { errcode: fail.errcode })
  }
  return {
    exec: (sql) => attempt(sql, () => database.exec(sql)),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      return {
        run: (...values) => attempt(sql, () => statement.run(...values)),
        get: (...values) =>
          attempt(sql, () =>
            failing.answer?.sql === sql ? failing.answer.row : statement.get(...values),
          ),
        all: (...values) => attempt(sql, () => statement.all(...values)),
        setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
      }
    },
    close: () => database.close(),
  }
}
