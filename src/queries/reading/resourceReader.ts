/** Questions about what an account has authored: rules, recipes or flows. */

import type { Page } from '../../domain/call.ts'
import type { Projection } from '../../projections/running/projection.ts'
import type { Collection, StoredDocument } from '../../stores/readStore.ts'
import { findPage, type PageAsked } from './page.ts'
import { activeCollection, type Readers } from './readers.ts'

export interface ResourceReader<View> {
  /** The account's things in the order they were made. Throws `invalid_request` for what is no cursor. */
  readonly list: (
    readers: Readers,
    asked: PageAsked & { readonly account: string },
  ) => Promise<Page<View>>
  /** Undefined when the account has none of this id, whoever else may have. */
  readonly find: (
    readers: Readers,
    asked: { readonly account: string; readonly id: string },
  ) => Promise<View | undefined>
}

/** The questions to a projection of one collection whose documents name their account. */
export function resourceReader<View>(
  projection: Projection,
  viewOf: (document: StoredDocument) => View,
): ResourceReader<View> {
  const resource = (readers: Readers): Collection => {
    const [collection] = projection.collections
    if (!collection) throw new Error(`projection ${projection.name} has no collection`)
    return activeCollection(readers, projection, collection)
  }
  return {
    list: async (readers, { account, ...asked }) => {
      const page = await findPage(readers, resource(readers), { where: { account }, ...asked })
      return { ...page, items: page.items.map(viewOf) }
    },
    find: async (readers, { account, id }) => {
      const found = await readers.documents.get(resource(readers), id)
      return found && found.body['account'] === account ? viewOf(found) : undefined
    },
  }
}
