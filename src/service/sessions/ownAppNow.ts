/** Whether an application is the account's, for whoever is about to change something of it. */

import { ownApp } from '../../commands/sessions/ownApp.ts'
import { type AppState, appStream } from '../../events/sessions/app.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AppPlace } from './sessionsPart.ts'

/** The application. Throws `app_not_found`. */
export async function ownAppNow(
  { apps }: Pick<ServiceContext, 'apps'>,
  { account, appId }: AppPlace,
): Promise<AppState> {
  const stream = appStream(appId)
  const { state } = await apps.folded(stream)
  // another instance may have registered it a moment ago
  return ownApp(state ?? (await apps.catchUp(stream)).state, account)
}
