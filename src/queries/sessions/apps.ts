/** Questions about the applications of an account. */

import type { Page } from '../../domain/call.ts'
import { type AppDocument, appCollection } from '../../projections/sessions/apps.ts'
import { type Found, findDocuments, getDocument, type Readers } from '../reading/documents.ts'
import { findPageAsMade, type PageAsked } from '../reading/page.ts'

interface OfAccount {
  readonly account: string
}

/** In the order they were registered, retired ones among them. Throws `invalid_request` for what is no cursor. */
export function listApps(
  readers: Readers,
  { account, ...asked }: OfAccount & PageAsked,
): Promise<Page<Found<AppDocument>>> {
  return findPageAsMade(readers, appCollection, { where: { account }, ...asked })
}

/** Undefined when the account has none of this id, whoever else may have. */
export async function findApp(
  readers: Readers,
  { account, id }: OfAccount & { readonly id: string },
): Promise<AppDocument | undefined> {
  const found = await getDocument(readers, appCollection, id)
  return found?.body.account === account ? found.body : undefined
}

/** Whether the account has so many applications, retired ones among them. */
export async function hasApps(
  readers: Readers,
  { account, count }: OfAccount & { readonly count: number },
): Promise<boolean> {
  const found = await findDocuments(readers, appCollection, {
    where: { account },
    sort: ['made'],
    limit: count,
  })
  return found.length >= count
}

interface Due {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number
  readonly limit: number
  /** Where to go on: the last one of the page before. */
  readonly after?: DueApp | undefined
}

/** An application whose signing keys something is to be done about. */
export interface DueApp {
  readonly id: string
  readonly dueMs: number
}

/** Those that are due, the one that is due longest first. */
export async function findAppsDue(
  readers: Readers,
  { nowMs, limit, after }: Due,
): Promise<readonly DueApp[]> {
  const found = await findDocuments(readers, appCollection, {
    where: { keys_due: { lte: nowMs } },
    sort: ['keys_due'],
    limit,
    ...(after && { after: { id: after.id, values: [after.dueMs] } }),
  })
  return found.map(({ id, body: { keys_due = 0 } }) => ({ id, dueMs: keys_due }))
}
