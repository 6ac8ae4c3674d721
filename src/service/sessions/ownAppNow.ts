/** Whether an application is the account's, for whoever is about to change something of it or of its users. */

import { ownApp } from '../../commands/sessions/signingKeys.ts'
import { appNotFound } from '../../domain/failure.ts'
import { type AppState, appStream } from '../../events/sessions/app.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AppPlace } from './sessionsPart.ts'

type Apps = Pick<ServiceContext, 'apps'>

/** The application, in service. Throws `app_not_found`. */
export async function ownAppNow(context: Apps, place: AppPlace): Promise<AppState> {
  return ownApp(await appNow(context, place), place.account)
}

/** Whether it is the account's, in service or retired: its users stay the account's to erase. Throws `app_not_found`. */
export async function assertOwnApp(context: Apps, place: AppPlace): Promise<void> {
  const app = await appNow(context, place)
  if (app?.account !== place.account) throw appNotFound()
}

async function appNow({ apps }: Apps, { appId }: AppPlace): Promise<AppState | undefined> {
  const stream = appStream(appId)
  const { state } = await apps.folded(stream)
  // another instance may have registered it a moment ago
  return state ?? (await apps.catchUp(stream)).state
}
