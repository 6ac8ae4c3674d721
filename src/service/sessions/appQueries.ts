/** The applications of an account as it sees them. */

import { appNotFound } from '../../domain/failure.ts'
import type { AppDocument } from '../../projections/sessions/apps.ts'
import { findApp } from '../../queries/sessions/apps.ts'
import { reached } from '../opening/reached.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { appView } from './appViews.ts'
import type { AppPlace, SessionsPart } from './sessionsPart.ts'

type Apps = SessionsPart['apps']

/** The questions about applications. */
export function openAppQueries(context: ServiceContext): Pick<Apps, 'list' | 'get'> {
  return {
    list: async ({ principal }, account, { minPosition, ...page }) => {
      const position = await reached(context, minPosition)
      const found = await context.heavyReads.ask(principal, 'listApps', { account, ...page })
      const items = found.items.map(({ id, body }) => appView(id, body))
      return { value: { ...found, items }, position }
    },
    get: async (place, { minPosition }) => {
      const position = await reached(context, minPosition)
      return { value: appView(place.appId, await standingApp(context, place)), position }
    },
  }
}

/** The application as the read models have it. Throws `app_not_found` when the account has none of the id, or has retired it. */
export async function standingApp(
  context: ServiceContext,
  { account, appId }: AppPlace,
  find = findApp,
): Promise<AppDocument> {
  const app = await find(context, { account, id: appId })
  if (!app || app.retired_at !== undefined) throw appNotFound()
  return app
}

/** Whether the account has it, in service or retired: its users stay the account's to find. Throws `app_not_found`. */
export async function assertKnownApp(
  context: ServiceContext,
  { account, appId }: AppPlace,
): Promise<void> {
  if (!(await findApp(context, { account, id: appId }))) throw appNotFound()
}
