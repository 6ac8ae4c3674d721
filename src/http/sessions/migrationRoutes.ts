/** Declares the routes for the migration configuration of an application (spec 4.6, 4.7). */

import {
  deleteMigrationConfig,
  migrationConfigInputSchema,
  setMigrationConfig,
} from '../../commands/sessions/apps/configureApp.ts'
import { migrationConfigAnswerSchema } from '../../commands/sessions/views.ts'
import { Failure } from '../../domain/failure.ts'
import { findMigrationConfig } from '../../queries/sessions/apps.ts'
import { removed, seen, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery } from '../request/queryReader.ts'
import type { Route, Served } from '../request/route.ts'
import { accountBase, appIn } from './appBase.ts'

const answer = { description: 'The configuration.', schema: migrationConfigAnswerSchema }

/** `/v2/session/apps/{appID}/config/migration`; its errors are those of spec 7.3. */
export function migrationRoutes(service: Served): readonly Route[] {
  const { context } = service
  const at = (operation: string) =>
    ({
      ...accountBase().at(operation, '/{appID}/config/migration'),
      errors: 'migration',
    }) as const
  return [
    defineRoute({
      ...at('getMigrationConfig'),
      method: 'GET',
      summary: 'Retrieve the migration configuration of an application',
      kind: 'read',
      query: askingQuery,
      answers: { 200: answer },
      failures: ['not_found'],
      serve: async (asked) => {
        const { value, position } = await findMigrationConfig(context, appIn(asked), asked.query)
        if (value) return seen({ value: { config: value }, position })
        throw new Failure('not_found', 'The application has no migration configuration.')
      },
    }),
    defineRoute({
      ...at('setMigrationConfig'),
      method: 'PUT',
      summary: 'Set the migration configuration of an application',
      kind: 'write',
      body: schemaBody(migrationConfigInputSchema),
      answers: { 200: answer },
      failures: ['conflict'],
      serve: async (asked) => {
        const change = { app: appIn(asked), ...asked.body }
        const { value: config, ...set } = await setMigrationConfig(context, asked.call, change)
        return written(200, { ...set, value: { config } })
      },
    }),
    defineRoute({
      ...at('deleteMigrationConfig'),
      method: 'DELETE',
      summary:
        'Delete the migration configuration of an application; one that is not set is no error',
      kind: 'write',
      answers: { 204: { description: 'The configuration is deleted.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) =>
        removed(await deleteMigrationConfig(context, asked.call, appIn(asked))),
    }),
  ]
}
