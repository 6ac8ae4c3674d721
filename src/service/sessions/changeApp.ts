/** A change of one application. */

import type { Call, Written } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import { type AppEvent, type AppState, appStream } from '../../events/sessions/app.ts'
import { eventContextOf, type ServiceContext, write } from '../opening/serviceContext.ts'
import type { AppPlace } from './sessionsPart.ts'

interface Change {
  /** What is done: `apps.retire`. */
  readonly operation: string
  readonly input: unknown
  readonly decide: (state: AppState | undefined, nowMs: number) => readonly AppEvent[]
}

/** Carries the change out and answers the application as it was right after it; a request sent again is answered as it was then. */
export async function changeApp(
  context: ServiceContext,
  { call, place: { account, appId } }: { readonly call: Call<Principal>; readonly place: AppPlace },
  { operation, input, decide }: Change,
): Promise<Written<AppState>> {
  const stream = appStream(appId)
  const eventContext = eventContextOf(context, call, {
    account,
    operation: `${operation} ${appId}`,
    input,
  })
  const written = await write(
    context,
    { call, streams: context.apps },
    {
      stream,
      context: eventContext,
      decide: (state) => decide(state, eventContext.time),
    },
  )
  const { state, repeated, position } = written.value
  const then = repeated ? await context.apps.stateAt(stream, position) : state
  if (!then) throw new Error(`${operation} has left no application`)
  return { ...written, value: then }
}
