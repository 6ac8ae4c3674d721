/** Maps documents to their form in MongoDB: fields, position of the last event, deletion mark. */

import type { Change, DocumentBody, LoadedDocument, StoredDocument } from '../readStore.ts'

export interface KeptDocument {
  readonly _id: string
  /** Position of the last event folded into it. */
  readonly _position: number
  /** In the place of its fields once it is deleted: the same position, by which it is found to be swept. */
  readonly _deleted?: number
  readonly [field: string]: unknown
}

export const notDeleted = { _deleted: { $exists: false } } as const

/** The document of a change. Throws when a field could be taken for one of ours. */
export function keptDocument({ id, position, body }: Change): KeptDocument {
  if (body === null) return { _id: id, _position: position, _deleted: position }
  for (const name of Object.keys(body)) {
    if (/^[_$]|\./.test(name)) throw new Error(`not the name of a field of a document: ${name}`)
  }
  return { _id: id, _position: position, ...body }
}

/** The document again, without a body when it is deleted. */
export function loadedDocument({
  _id,
  _position,
  _deleted,
  ...body
}: KeptDocument): LoadedDocument {
  const isDeleted = _deleted !== undefined
  return { id: _id, position: _position, body: isDeleted ? null : (body as DocumentBody) }
}

/** The document again; undefined when there is none or it is deleted. */
export function storedDocument(kept: KeptDocument | null): StoredDocument | undefined {
  if (!kept) return undefined
  const { id, position, body } = loadedDocument(kept)
  return body === null ? undefined : { id, position, body }
}
