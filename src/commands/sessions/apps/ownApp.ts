/** Finds an application of an account (`app_not_found`), and carries out changes of it. */

import type { Call, Written } from '../../../domain/call.ts'
import { appNotFound } from '../../../domain/failure.ts'
import type { Principal } from '../../../domain/principal.ts'
import { type AppEvent, type AppState, appStream } from '../../../events/sessions/app.ts'
import type { Writing } from '../../handling/context.ts'
import { eventContextOf, write } from '../../handling/write.ts'
import type { AppRef, SessionsContext } from '../sessionsContext.ts'

type Apps = Pick<SessionsContext, 'apps'>

/** The application, in service. Throws `app_not_found`. */
export async function findOwnApp(context: Apps, app: AppRef): Promise<AppState> {
  return ownApp(await findApp(context, app), app.account)
}

/** Whether it is the account's, in service or retired: its users stay the account's to erase. Throws `app_not_found`. */
export async function assertOwnApp(context: Apps, app: AppRef): Promise<void> {
  if ((await findApp(context, app))?.account !== app.account) throw appNotFound()
}

async function findApp({ apps }: Apps, { appId }: AppRef): Promise<AppState | undefined> {
  const stream = appStream(appId)
  const { state } = await apps.folded(stream)
  // another instance may have registered it a moment ago
  return state ?? (await apps.catchUp(stream)).state
}

/** The application. Throws `app_not_found` when it is not registered, is another account's, or is retired: the same for all. */
export function ownApp(state: AppState | undefined, account: string): AppState {
  if (state?.account !== account || state.retired_at !== undefined) throw appNotFound()
  return state
}

interface Change {
  /** What is done: `apps.retire`. */
  readonly operation: string
  readonly input: unknown
  readonly decide: (state: AppState | undefined, nowMs: number) => readonly AppEvent[]
}

/** Carries the change out and answers the application as it was right after it; a request sent again is answered as it was then. */
export async function changeApp(
  context: Writing & Apps,
  { call, app: { account, appId } }: { readonly call: Call<Principal>; readonly app: AppRef },
  { operation, input, decide }: Change,
): Promise<Written<AppState>> {
  const stream = appStream(appId)
  const intention = { account, operation: `${operation} ${appId}`, input }
  const eventContext = eventContextOf(context, call, intention)
  const written = await write(context, context.apps, {
    stream,
    context: eventContext,
    decide: (state) => decide(state, eventContext.time),
  })
  const { state, repeated, position } = written.value
  const then = repeated ? await context.apps.stateAt(stream, position) : state
  if (!then) throw new Error(`${operation} has left no application`)
  return { ...written, value: then }
}
