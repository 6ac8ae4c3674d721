/** Creates readers of an account's resources from a read model: a page, or one by id. */

import type { Page, PageRequest } from '../../domain/call.ts'
import {
  type FoundDocument,
  getDocument,
  type Readers,
} from '../../projections/running/documents.ts'
import type { CreatedPosition, DocumentCollection } from '../../projections/running/projection.ts'
import { findPageByCreation } from './page.ts'

export interface ResourceReader<View> {
  /** What the account has, in the order it was made. Throws `invalid_request` for an invalid cursor. */
  readonly list: (
    readers: Readers,
    asked: PageRequest & { readonly account: string },
  ) => Promise<Page<View>>
  /** Undefined when the account has none of this id, whoever else may have. */
  readonly find: (
    readers: Readers,
    asked: { readonly account: string; readonly id: string },
  ) => Promise<View | undefined>
}

export function createResourceReader<Document extends OwnedDocument, View>(
  collection: DocumentCollection<Document>,
  viewOf: (found: FoundDocument<Document>) => View,
): ResourceReader<View> {
  return {
    list: async (readers, { account, ...asked }) => {
      const page = await findPageByCreation(readers, collection, { where: { account }, ...asked })
      return { ...page, items: page.items.map(viewOf) }
    },
    find: async (readers, { account, id }) => {
      const found = await getDocument(readers, collection, id)
      return found && found.body.account === account ? viewOf(found) : undefined
    },
  }
}

/** The fields by which a document belongs to an account and is sorted in lists. */
interface OwnedDocument extends CreatedPosition {
  readonly account: string
}

/** A document as its account sees it: with its id, without the fields that only find it. */
export type OwnedDocumentView<Document extends OwnedDocument> = Omit<
  Document,
  keyof OwnedDocument
> & {
  readonly id: string
}

export function toOwnedDocumentView<Document extends OwnedDocument>({
  id,
  body,
}: FoundDocument<Document>): OwnedDocumentView<Document> {
  const { account: _, made: __, ...rest } = body
  return { id, ...rest }
}
