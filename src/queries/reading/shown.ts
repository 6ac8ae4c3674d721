/** What is shown of the documents that an account keeps. */

import type { Made } from '../../projections/running/made.ts'
import type { Found } from './documents.ts'

/** What a document of something kept says of whose it is and where it stands in lists. */
export interface Kept extends Made {
  readonly account: string
}

/** A document as its keeper sees it: with its id, without what only serves to find it. */
export type Shown<Document extends Kept> = Omit<Document, keyof Kept> & { readonly id: string }

/** The document as its keeper sees it. */
export function shown<Document extends Kept>({ id, body }: Found<Document>): Shown<Document> {
  const { account: _, made: __, ...said } = body
  return { id, ...said }
}
