/** The applications of an account as it sees them. */

import { appNotFound } from '../../domain/failure.ts'
import { isoTime } from '../../domain/isoTime.ts'
import type { AppState, MigrationConfig } from '../../events/sessions/app.ts'
import type { AppDocument } from '../../projections/sessions/apps.ts'
import { reached } from '../../queries/reading/reached.ts'
import { findApp } from '../../queries/sessions/apps.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AppPlace, AppView, MigrationConfigView, SessionsPart } from './sessionsPart.ts'

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
): Promise<AppDocument> {
  const app = await findApp(context, { account, id: appId })
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

/** The application of this id. */
export function appView(
  appId: string,
  { name, settings, registered_at, retired_at }: AppState,
): AppView {
  return {
    app_id: appId,
    name,
    settings,
    registered_at: isoTime(registered_at),
    ...(retired_at !== undefined && { retired_at: isoTime(retired_at) }),
  }
}

/** Spec 2.10. */
export function migrationConfigView({
  session_validation_url,
  created_at,
  updated_at,
}: MigrationConfig): MigrationConfigView {
  return {
    session_validation_url,
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  }
}
