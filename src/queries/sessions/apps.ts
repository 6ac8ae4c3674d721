/** Lists applications or those due for key rotation, finds one, checks an account has so many. */

import type { Call, Page, PageRequest } from '../../domain/call.ts'
import { appNotFound } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import type { AppState } from '../../events/sessions/appEvents.ts'
import {
  type FoundDocument,
  getDocument,
  type Readers,
} from '../../projections/running/documents.ts'
import { type AppDocument, appCollection } from '../../projections/sessions/apps.ts'
import type { AppRef } from '../../state/sessions/sessionStreamTypes.ts'
import { type AppView, buildAppView } from '../../state/sessions/views.ts'
import { findPageByCreation } from '../reading/page.ts'
import type { HeavyContext } from '../reading/queryContext.ts'
import type { SessionsQueryContext } from './servedApps.ts'

interface OfAccount {
  readonly account: string
}

/** In the order they were registered, retired ones among them. Throws `invalid_request` for an invalid cursor. */
export function listAppDocuments(
  readers: Readers,
  { account, ...asked }: PageRequest & OfAccount,
): Promise<Page<FoundDocument<AppDocument>>> {
  return findPageByCreation(readers, appCollection, { where: { account }, ...asked })
}

/** In the order they were registered, retired ones among them. */
export async function listApps(
  context: HeavyContext<{ listAppDocuments: typeof listAppDocuments }>,
  { principal }: Call<Principal>,
  { account, ...page }: PageRequest & OfAccount,
): Promise<Page<AppView>> {
  const found = await context.heavyQueries.listAppDocuments(principal, { account, ...page })
  return { ...found, items: found.items.map(({ id, body }) => buildAppView(id, body)) }
}

type AppsContext = Pick<SessionsQueryContext, 'documents' | 'projections'>

/** An application in service, as a view shows it. Throws `app_not_found` for one unknown or retired. */
export async function requireAppView<View>(
  context: AppsContext,
  app: AppRef,
  view: (app: AppState) => View,
): Promise<View> {
  const found = await findAppDocument(context, app)
  if (!found || found.retired_at !== undefined) throw appNotFound()
  return view(found)
}

/** Whether the account has it, in service or retired: its users stay the account's to find. Throws `app_not_found`. */
export async function assertKnownApp(readers: Readers, app: AppRef): Promise<void> {
  if (!(await findAppDocument(readers, app))) throw appNotFound()
}

/** Undefined when the application does not exist or is another account's. */
async function findAppDocument(
  readers: Readers,
  { account, appId }: AppRef,
): Promise<AppDocument | undefined> {
  const found = await getDocument(readers, appCollection, appId)
  return found?.body.account === account ? found.body : undefined
}
