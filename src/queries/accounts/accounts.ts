/** Questions of the operator about accounts. */

import type { Page } from '../../domain/call.ts'
import { type AccountDocument, accountCollection } from '../../projections/accounts/accounts.ts'
import type { Made } from '../../projections/running/made.ts'
import { type Found, getDocument, type Readers } from '../reading/documents.ts'
import { findPageAsMade, type PageAsked } from '../reading/page.ts'

export interface AccountView extends Omit<AccountDocument, keyof Made> {
  readonly id: string
}

/** Every account in the order they were opened. Throws `invalid_request` for what is no cursor. */
export async function listAccounts(readers: Readers, asked: PageAsked): Promise<Page<AccountView>> {
  const page = await findPageAsMade(readers, accountCollection, { where: {}, ...asked })
  return { ...page, items: page.items.map(viewOf) }
}

/** Undefined when there is none of this id. */
export async function findAccount(readers: Readers, id: string): Promise<AccountView | undefined> {
  const found = await getDocument(readers, accountCollection, id)
  return found && viewOf(found)
}

function viewOf({ id, body: { made: _, ...said } }: Found<AccountDocument>): AccountView {
  return { id, ...said }
}
