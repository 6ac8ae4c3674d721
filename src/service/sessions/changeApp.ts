/** A change of one application, and of where its legacy sessions are validated. */

import {
  deleteMigrationConfig,
  setMigrationConfig,
} from '../../commands/sessions/setMigrationConfig.ts'
import type { Call, Written } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { migrationUrlProblem, type PrivateHost } from '../../domain/outboundHost.ts'
import type { Principal } from '../../domain/principal.ts'
import { type AppEvent, type AppState, appStream } from '../../events/sessions/app.ts'
import { reached } from '../../queries/reading/reached.ts'
import { eventContextOf, type ServiceContext, write } from '../opening/serviceContext.ts'
import { migrationConfigView, standingApp } from './appQueries.ts'
import type { AppPlace, SessionsPart } from './sessionsPart.ts'

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

/** `allowed` are hosts that the operator lets be named though they are not public. */
export function openMigrationConfig(
  context: ServiceContext,
  allowed: readonly PrivateHost[],
): SessionsPart['migrationConfig'] {
  return {
    get: async (place, { minPosition }) => {
      const position = await reached(context, minPosition)
      const { migration } = await standingApp(context, place)
      return { value: migration && migrationConfigView(migration), position }
    },
    set: async (call, place, { session_validation_url: url }) => {
      const message = migrationUrlProblem(url, allowed)
      if (message !== undefined) throw invalidRequest([{ path: 'session_validation_url', message }])
      const written = await changeApp(
        context,
        { call, place },
        {
          operation: 'migration_config.set',
          input: url,
          decide: (state, nowMs) => setMigrationConfig(place, url, nowMs)(state),
        },
      )
      const { migration } = written.value
      if (!migration) throw new Error('a migration configuration was not set')
      return { ...written, value: migrationConfigView(migration) }
    },
    remove: async (call, place) => {
      const decide = deleteMigrationConfig(place)
      const change = { operation: 'migration_config.delete', input: null, decide }
      return { ...(await changeApp(context, { call, place }, change)), value: undefined }
    },
  }
}
