/** Converts documents for MongoDB, and writes those with a later position, in any order. */

import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb'
import type { Change, DocumentBody, LoadedDocument, StoredDocument } from '../readStore.ts'
import { callLimit, isPermanentCode, mongoUnavailable, permanentError } from './mongoErrors.ts'

export interface MongoDocument {
  readonly _id: string
  /** Position of the last event folded into it. */
  readonly _position: number
  /** On a deleted document, in place of its fields: the same position, by which it is found to be swept. */
  readonly _deleted?: number
  readonly [field: string]: unknown
}

export const notDeleted = { _deleted: { $exists: false } } as const

/** The document of a change. Throws for a field name that is reserved or that MongoDB cannot store. */
function toMongoDocument({ id, position, body }: Change): MongoDocument {
  if (body === null) return { _id: id, _position: position, _deleted: position }
  for (const name of Object.keys(body)) {
    if (/^[_$]|\./.test(name)) throw new Error(`not the name of a field of a document: ${name}`)
  }
  return { _id: id, _position: position, ...body }
}

/** The document of the port, without a body when it is deleted. */
export function toLoadedDocument({
  _id,
  _position,
  _deleted,
  ...body
}: MongoDocument): LoadedDocument {
  const isDeleted = _deleted !== undefined
  return { id: _id, position: _position, body: isDeleted ? null : (body as DocumentBody) }
}

/** The document of the port; undefined when there is none or it is deleted. */
export function toStoredDocument(found: MongoDocument | null): StoredDocument | undefined {
  if (!found) return undefined
  const { id, position, body } = toLoadedDocument(found)
  return body === null ? undefined : { id, position, body }
}

/** Documents of one call. */
const callMax = 1_000
/** A write is refused when another one makes the same document first; the next attempt finds it there. */
const attemptsMax = 4

/**
 * Writes every change that is later than its document, and a deletion also over a document of its own position. Throws
 * what the driver throws, `unavailable` when the server accepts some of them and refuses others for no lasting reason,
 * and an `Error` when it never accepts one.
 */
export async function writeDocuments(
  documents: Collection<MongoDocument>,
  changes: readonly Change[],
): Promise<void> {
  // all instances in the same order: two bulks over the same ids must not wait for each other in a circle
  const sorted = changes.toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)))
  for (let at = 0; at < sorted.length; at += callMax) {
    await writePage(documents, sorted.slice(at, at + callMax))
  }
}

async function writePage(documents: Collection<MongoDocument>, changes: readonly Change[]) {
  let left = changes
  let reason = ''
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    const refused = await attempt(documents, left)
    const [first] = refused
    if (!first) return
    const never = refused.find(({ code }) => isPermanentCode(code))
    if (never) throw permanentError('read store', never.reason)
    reason = first.reason
    left = await notSuperseded(documents, refused)
    if (left.length === 0) return
  }
  throw mongoUnavailable('read store', `${left.length} documents were not written: ${reason}`)
}

interface Refused {
  readonly change: Change
  readonly code: number | undefined
  readonly reason: string
}

async function attempt(
  documents: Collection<MongoDocument>,
  changes: readonly Change[],
): Promise<readonly Refused[]> {
  try {
    await documents.bulkWrite(changes.map(writeOf), { ordered: false, ...callLimit })
    return []
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error
    const writeErrors = [error.writeErrors].flat()
    // an error of the whole call, such as a majority that did not acknowledge it in time
    if (writeErrors.length === 0 || error.result.getWriteConcernError()) throw error
    return writeErrors.flatMap(({ index, errmsg, code }) => {
      const change = changes[index]
      return change ? [{ change, code, reason: `${errmsg ?? ''} (code ${code})` }] : []
    })
  }
}

function writeOf(change: Change): AnyBulkWriteOperation<MongoDocument> {
  const { id, position, body } = change
  const older = body === null ? { $lte: position } : { $lt: position }
  const { _id, ...replacement } = toMongoDocument(change)
  return {
    replaceOne: { filter: { _id: id, _position: older }, replacement, upsert: true },
  }
}

/** The refused changes that the stored documents have not passed. */
async function notSuperseded(documents: Collection<MongoDocument>, refused: readonly Refused[]) {
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
