/** Executes changes to an account's application. */

import type { Call, WriteResult } from '../../../domain/call.ts'
import type { Principal } from '../../../domain/principal.ts'
import { type AppEvent, type AppState, appStream } from '../../../events/sessions/appEvents.ts'
import { requireActive, requireOwnApp } from '../../../state/sessions/findApp.ts'
import type { AppRef } from '../../../state/sessions/sessionStreamTypes.ts'
import type { WriteContext } from '../../handling/commandContext.ts'
import { buildEventContext, executeAndPresent } from '../../handling/executeCommand.ts'
import type { SessionsContext } from '../sessionsContext.ts'

/** What a command on applications takes. */
export type AppWriteContext = WriteContext & Pick<SessionsContext, 'apps'>

interface AppChange<View> {
  readonly app: AppRef
  /** What is done: `apps.retire`. */
  readonly operation: string
  readonly input?: unknown
  /** Whether a retired application is changed, too; it is `app_not_found` unless given. */
  readonly allowsRetired?: boolean
  readonly decide: (state: AppState, nowMs: number) => readonly AppEvent[]
  /** What is answered, of the application right after the change. */
  readonly present: (app: AppState) => View
}

/** Carries the change out; a request sent again is answered as it was then. Throws `app_not_found`. */
export function changeApp<View>(
  context: AppWriteContext,
  call: Call<Principal>,
  { app, operation, input = null, allowsRetired = false, decide, present }: AppChange<View>,
): Promise<WriteResult<View>> {
  const { account, appId } = app
  const intention = { account, operation: `${operation} ${appId}`, input }
  return executeAndPresent(context, context.apps, {
    stream: appStream(appId),
    context: buildEventContext(context, call, intention),
    decide: (state, nowMs) => {
      const own = requireOwnApp(state, account)
      return decide(allowsRetired ? own : requireActive(own), nowMs)
    },
    present: (state) => present(requireOwnApp(state, account)),
  })
}
