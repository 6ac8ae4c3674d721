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

interface AppChange<View, Gathered> {
  readonly app: AppRef
  /** What is done: `apps.retire`. */
  readonly operation: string
  readonly input?: unknown
  /** Whether a retired application is changed, too; it is `app_not_found` unless given. */
  readonly allowsRetired?: boolean
  /** What the decision needs beside the state; nothing unless given. */
  readonly gather?: (state: AppState, nowMs: number) => Promise<Gathered>
  readonly decide: (state: AppState, nowMs: number, gathered: Gathered) => readonly AppEvent[]
  /** What is answered, of the application right after the change. */
  readonly present: (app: AppState) => View
}

/** Carries the change out; a request sent again is answered as it was then. Throws `app_not_found`. */
export function changeApp<View, Gathered>(
  context: AppWriteContext,
  call: Call<Principal>,
  { app, operation, input = null, present, ...change }: AppChange<View, Gathered>,
): Promise<WriteResult<View>> {
  const { account, appId } = app
  const requireOwn = (state: AppState | undefined): AppState => {
    const own = requireOwnApp(state, account)
    return change.allowsRetired ? own : requireActive(own)
  }
  const intention = { account, operation: `${operation} ${appId}`, input }
  return executeAndPresent(context, context.apps, {
    stream: appStream(appId),
    context: buildEventContext(context, call, intention),
    gather: async (state, nowMs) => change.gather?.(requireOwn(state), nowMs) as Promise<Gathered>,
    decide: (state, nowMs, gathered) => change.decide(requireOwn(state), nowMs, gathered),
    present: (state) => present(requireOwnApp(state, account)),
  })
}
