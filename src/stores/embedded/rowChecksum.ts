/** Checksums over the rows of the read models, because SQLite keeps none over a page once it has left the write-ahead log. */

import { crc32 } from 'node:zlib'
import type { Row } from './sqlite.ts'

/** A row that is not what was written. */
export class ChangedRow extends Error {}

/** Whether an error says so. A number that takes all of its 64 bits is none that anybody has written, and none that can be read. */
export function isChangedRow(error: unknown): boolean {
  if (error instanceof ChangedRow) return true
  return error instanceof Error && error.message.startsWith('Value is too large')
}

interface DocumentRow {
  readonly id: string
  readonly position: number
  /** Null of a deleted document. */
  readonly body: string | null
}

/** CRC-32 of all that a document is; the length of the id keeps one part from running into the next. */
export function documentChecksum({ id, position, body }: DocumentRow): number {
  if (body === null) return crc32(`${position} deleted ${id.length} ${id}`)
  return crc32(body, crc32(`${position} stored ${id.length} ${id}`))
}

/** CRC-32 of the row of a checkpoint, but for the checksum that it has. */
export function checkpointChecksum(row: Row): number {
  const { projection, version, position, ready, witness, collections } = row
  return crc32(JSON.stringify([projection, version, position, ready, witness, collections]))
}

/** Throws `ChangedRow` when the row of a checkpoint is not what was written. */
export function refuseChangedCheckpoint(row: Row): void {
  if (row['checksum'] !== checkpointChecksum(row)) {
    throw new ChangedRow('a checkpoint has changed since it was written')
  }
}
