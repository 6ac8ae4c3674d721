/** A process that fills the read model of counters with keys that nobody asks for. */

import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { answerMessages } from './childProcess.ts'

export interface KeysOrder {
  readonly folder: string
  readonly account: string
  readonly keys: number
}

answerMessages<KeysOrder, boolean>(async ({ folder, account, keys }) => {
  const database = new DatabaseSync(join(folder, 'views.db'))
  const nowMs = Date.now()
  const ends = nowMs + 31 * 24 * 3_600_000
  const newest = Math.floor(nowMs / 10_000)
  const body = JSON.stringify({ newest, ends_at: ends, grains: `${newest.toString(36)}:1` })
  database.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${keys})
    INSERT INTO c_counters_1 (id, position, body, f_ends_at)
    SELECT '${account}/aaaaaaaaaaaa/' || lower(hex(randomblob(8))), 1, '${body}', ${ends} FROM n`)
  database.close()
  return true
})
