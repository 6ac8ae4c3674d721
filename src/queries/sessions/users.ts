/** Questions about the users of an application. */

import type { Page } from '../../domain/call.ts'
import { type UserDocument, userCollection } from '../../projections/sessions/users.ts'
import { type Found, getDocument, type Readers } from '../reading/documents.ts'
import { findPageAsMade, type PageAsked } from '../reading/page.ts'

interface OfApp {
  readonly account: string
  readonly app: string
}

/** In the order in which they were created. Throws `invalid_request` for what is no cursor. */
export function listUsers(
  readers: Readers,
  { account, app, ...asked }: OfApp & PageAsked,
): Promise<Page<Found<UserDocument>>> {
  return findPageAsMade(readers, userCollection, { where: { account, app }, ...asked })
}

/** Undefined when the application has none of this id, whoever else may have. */
export async function findUser(
  readers: Readers,
  { account, app, id }: OfApp & { readonly id: string },
): Promise<Found<UserDocument> | undefined> {
  const found = await getDocument(readers, userCollection, id)
  return found?.body.account === account && found.body.app === app ? found : undefined
}
