/** Where an application's legacy sessions are validated (spec 4.6, 4.7). */

import {
  deleteMigrationConfig,
  setMigrationConfig,
} from '../../commands/sessions/setMigrationConfig.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { migrationUrlProblem } from '../../domain/migrationUrl.ts'
import type { PrivateHost } from '../../domain/outboundHost.ts'
import { reached } from '../opening/reached.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { standingApp } from './appQueries.ts'
import { migrationConfigView } from './appViews.ts'
import { changeApp } from './changeApp.ts'
import type { SessionsPart } from './sessionsPart.ts'

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
