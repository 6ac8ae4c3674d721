/** The leases in `views.db`. */

import type { Lease, LeaseHolder, LeaseRequest } from '../lease.ts'
import type { Row, Statement } from './sqlite.ts'

/** Beside the format of the read models: a file of before it has no leases yet. */
export const leaseSchema = `CREATE TABLE IF NOT EXISTS leases (
  name TEXT PRIMARY KEY, owner TEXT NOT NULL, fence INTEGER NOT NULL, ends INTEGER NOT NULL, session TEXT NOT NULL
) WITHOUT ROWID`

export interface LeaseStatements {
  readonly acquire: (request: LeaseRequest) => Lease | undefined
  readonly renew: (lease: Lease, forMs: number) => boolean
  /** Puts the end of the lease off, since its holder could not renew it for so long and nobody could be given it. */
  readonly putOff: (lease: Lease, byMs: number) => void
  readonly release: (lease: Lease) => void
  readonly holder: (name: string) => LeaseHolder | undefined
  /** Whether no other has been given it since. */
  readonly isNewest: (lease: Lease) => boolean
}

interface LeaseOptions {
  readonly nowMs: () => number
  /** Under which the folder is used: who had a lease in another one has ended, and holds nobody off. */
  readonly session: string
}

const giveSql = `INSERT INTO leases (name, owner, fence, ends, session) VALUES (?1, ?2, 1, ?4 + ?5, ?3)
  ON CONFLICT (name) DO UPDATE SET
    owner = excluded.owner, fence = fence + 1, ends = excluded.ends, session = excluded.session
  WHERE owner = excluded.owner OR session <> excluded.session OR ends <= ?4 OR ends > ?4 + ?5
  RETURNING fence`

/** The functions over the lease table; `statement` prepares SQL, once. */
export function leaseStatements(
  statement: (sql: string) => Statement,
  { nowMs, session }: LeaseOptions,
): LeaseStatements {
  const newest = (name: string): Row | undefined =>
    statement('SELECT owner, fence, ends, session FROM leases WHERE name = ?').get(name)
  return {
    acquire: ({ name, owner, forMs }) => {
      const row = statement(giveSql).get(name, owner, session, nowMs(), forMs)
      return row && { name, owner, fence: Number(row['fence']) }
    },
    renew: ({ name, fence }, forMs) => {
      const renewed = 'UPDATE leases SET ends = ? WHERE name = ? AND fence = ? RETURNING fence'
      return statement(renewed).get(nowMs() + forMs, name, fence) !== undefined
    },
    putOff: ({ name, fence }, byMs) => {
      const later = 'UPDATE leases SET ends = ends + ? WHERE name = ? AND fence = ?'
      statement(later).run(Math.max(0, byMs), name, fence)
    },
    release: ({ name, fence }) => {
      statement('UPDATE leases SET ends = 0 WHERE name = ? AND fence = ?').run(name, fence)
    },
    holder: (name) => {
      const row = newest(name)
      if (!row) return undefined
      const isHeld = row['session'] === session && Number(row['ends']) > nowMs()
      return { owner: String(row['owner']), fence: Number(row['fence']), isHeld }
    },
    isNewest: ({ name, fence }) => Number(newest(name)?.['fence']) === fence,
  }
}
