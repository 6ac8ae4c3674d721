/** Finds an account's application, or throws `app_not_found`. */

import { appNotFound } from '../../domain/failure.ts'
import { type AppState, appStream } from '../../events/sessions/appEvents.ts'
import type { AppRef, SessionStreams } from './sessionStreamTypes.ts'

type Apps = Pick<SessionStreams, 'apps'>

/** The application, in service. Throws `app_not_found`. */
export async function requireActiveApp(context: Apps, app: AppRef): Promise<AppState> {
  return requireActive(await requireActiveOrRetiredApp(context, app))
}

/** The application, in service or retired: its users stay the account's to erase. Throws `app_not_found`. */
export async function requireActiveOrRetiredApp(
  { apps }: Apps,
  { appId, account }: AppRef,
): Promise<AppState> {
  const stream = appStream(appId)
  const { state } = await apps.getFolded(stream)
  // another instance may have registered it a moment ago
  return requireOwnApp(state ?? (await apps.catchUp(stream)).state, account)
}

/** Throws the same `app_not_found` when it is not registered and when it is another account's. */
export function requireOwnApp(state: AppState | undefined, account: string): AppState {
  if (state?.account !== account) throw appNotFound()
  return state
}

/** Throws `app_not_found` for one that is retired. */
export function requireActive(state: AppState): AppState {
  if (state.retired_at !== undefined) throw appNotFound()
  return state
}
