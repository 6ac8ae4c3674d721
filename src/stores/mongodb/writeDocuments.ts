/** Writes documents to MongoDB unless a later position is stored: idempotent and in any order. */

import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb'
import type { Change } from '../readStore.ts'
import { type KeptDocument, keptDocument } from './keptDocument.ts'
import { callLimit, isPermanentCode, mongoUnavailable, refusedForGood } from './mongoErrors.ts'

/** Documents of one call. */
const callMax = 1_000
/** A write is refused when another one makes the same document first; the next try finds it there. */
const triesMax = 4

/**
 * Writes every change that is later than its document, and a deletion also over a document of its own position. Throws what the driver
 * throws, `unavailable` when the server takes some of them and refuses others for no lasting reason, and an `Error` when it never takes one.
 */
export async function writeDocuments(
  documents: Collection<KeptDocument>,
  changes: readonly Change[],
): Promise<void> {
  // everybody in the same order: two bulks over the same ids must not wait for each other in a circle
  const sorted = changes.toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)))
  for (let at = 0; at < sorted.length; at += callMax) {
    await writeSome(documents, sorted.slice(at, at + callMax))
  }
}

async function writeSome(
  documents: Collection<KeptDocument>,
  changes: readonly Change[],
): Promise<void> {
  let left = changes
  let words = ''
  for (let tries = 0; tries < triesMax; tries += 1) {
    const refused = await attempt(documents, left)
    if (refused.length === 0) return
    const never = refused.find(({ code }) => isPermanentCode(code))
    if (never) throw refusedForGood('read store', never.words)
    words = refused[0]?.words ?? ''
    left = await notSuperseded(documents, refused)
    if (left.length === 0) return
  }
  throw mongoUnavailable('read store', `${left.length} documents were not written: ${words}`)
}

interface Refused {
  readonly change: Change
  readonly code: number | undefined
  readonly words: string
}

async function attempt(
  documents: Collection<KeptDocument>,
  changes: readonly Change[],
): Promise<readonly Refused[]> {
  try {
    await documents.bulkWrite(changes.map(writeOf), { ordered: false, ...callLimit })
    return []
  } catch (error) {
    return refusedBy(error, changes)
  }
}

function refusedBy(error: unknown, changes: readonly Change[]): readonly Refused[] {
  if (!(error instanceof MongoBulkWriteError)) throw error
  const writeErrors = [error.writeErrors].flat()
  // without one it is said of the whole call, such as that the majority has not heard of it in time
  if (writeErrors.length === 0 || error.result.getWriteConcernError()) throw error
  return writeErrors.flatMap(({ index, errmsg, code }) => {
    const change = changes[index]
    return change ? [{ change, code, words: `${errmsg ?? ''} (code ${code})` }] : []
  })
}

function writeOf(change: Change): AnyBulkWriteOperation<KeptDocument> {
  const { id, position, body } = change
  const older = body === null ? { $lte: position } : { $lt: position }
  const { _id, ...replacement } = keptDocument(change)
  return {
    replaceOne: { filter: { _id: id, _position: older }, replacement, upsert: true },
  }
}

/** Of what was refused, what the stored documents have not come past. */
async function notSuperseded(
  documents: Collection<KeptDocument>,
  refused: readonly Refused[],
): Promise<readonly Change[]> {
  const ids = refused.map(({ change }) => change.id)
  const found = await documents
    .find({ _id: { $in: ids } }, { projection: { _position: 1, _deleted: 1 } })
    .toArray()
  const stored = new Map(found.map((document) => [document._id, document]))
  return refused
    .map(({ change }) => change)
    .filter(({ id, position, body }) => {
      const { _position = -1, _deleted } = stored.get(id) ?? {}
      if (body === null && _deleted === undefined) return _position <= position
      return _position < position
    })
}
