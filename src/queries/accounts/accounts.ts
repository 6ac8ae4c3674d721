/** Questions of the operator about accounts. */

import type { Page } from '../../domain/call.ts'
import { type AccountDocument, accounts } from '../../projections/accounts/accounts.ts'
import type { Collection, StoredDocument } from '../../stores/readStore.ts'
import { findPage, type PageAsked } from '../reading/page.ts'
import { activeCollection, type Readers } from '../reading/readers.ts'

export interface AccountView extends AccountDocument {
  readonly id: string
}

/** Every account in the order they were opened. Throws `invalid_request` for what is no cursor. */
export async function listAccounts(readers: Readers, asked: PageAsked): Promise<Page<AccountView>> {
  const page = await findPage(readers, collectionOf(readers), { where: {}, ...asked })
  return { ...page, items: page.items.map(viewOf) }
}

/** Undefined when there is none of this id. */
export async function findAccount(readers: Readers, id: string): Promise<AccountView | undefined> {
  const found = await readers.documents.get(collectionOf(readers), id)
  return found && viewOf(found)
}

function collectionOf(readers: Readers): Collection {
  const [collection] = accounts.collections
  if (!collection) throw new Error('the accounts have no collection')
  return activeCollection(readers, accounts, collection)
}

function viewOf({ id, body }: StoredDocument): AccountView {
  return { id, ...(body as unknown as AccountDocument) }
}
