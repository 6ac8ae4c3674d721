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

/**
 * CRC-32 of all that a document is; the length of the id keeps it from running into the text. Below zero of a deleted one, so that one whose
 * text cannot be read any more is not taken for deleted.
 */
export function documentChecksum({ id, position, body }: DocumentRow): number {
  const place = crc32(`${position} ${id.length} ${id}`)
  return body === null ? -1 - place : crc32(body, place)
}

/** In SQL: what is not deleted, as far as its text or its checksum still says so. */
export const isStored = '(body IS NOT NULL OR checksum >= 0)'
/** What is, by both. */
export const isDeleted = 'body IS NULL AND checksum < 0'

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
