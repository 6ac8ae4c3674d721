/** Whether an application is the account's to change. */

import { appNotFound } from '../../domain/failure.ts'
import type { AppState } from '../../events/sessions/app.ts'

/** The application. Throws `app_not_found` when it is not registered, is another account's, or is retired: the same for all. */
export function ownApp(state: AppState | undefined, account: string): AppState {
  if (state?.account !== account || state.retired_at !== undefined) throw appNotFound()
  return state
}
