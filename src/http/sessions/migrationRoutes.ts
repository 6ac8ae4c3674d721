/** Routes the migration configuration of an application (spec 4.6, 4.7). */

import {
  deleteMigrationConfig,
  type MigrationConfigInput,
  setMigrationConfig,
} from '../../commands/sessions/apps/configureApp.ts'
import type { MigrationConfigView } from '../../commands/sessions/views.ts'
import type { Written } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { migrationUrlMax } from '../../domain/network/outboundHost.ts'
import { type Schema, timeText } from '../../domain/schema.ts'
import { findMigrationConfig } from '../../queries/sessions/apps.ts'
import { removed, seen, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { inputSchema, viewSchema } from '../request/schema/fields.ts'
import { accountBase, appRef, type SessionsService } from './appBase.ts'

const input: Schema = inputSchema<MigrationConfigInput>('MigrationConfigInput', {
  session_validation_url: {
    type: 'string',
    minLength: 1,
    maxLength: migrationUrlMax,
    description:
      'Where legacy sessions are validated: an HTTPS URL of the public Internet, without user name, password and fragment.',
  },
})

const answer: Schema = viewSchema<{ readonly config: MigrationConfigView }>(
  'MigrationConfigAnswer',
  {
    config: viewSchema<MigrationConfigView>('MigrationConfig', {
      session_validation_url: { type: 'string' },
      created_at: timeText,
      updated_at: { ...timeText, description: 'ISO 8601 UTC; moved by another URL only.' },
    }),
  },
)

/** `/v2/session/apps/{appID}/config/migration`; its errors are those of spec 7.3. */
export function migrationRoutes(service: SessionsService): readonly Route[] {
  return [getRoute(service), setRoute(service), deleteRoute(service)]
}

function common(service: SessionsService) {
  const base = accountBase(service)
  const { tag, access, ids, path } = base
  const facts = {
    path: `${path}/{appID}/config/migration`,
    errors: 'migration',
    tag,
    access,
    ids: { ...ids, appID: 'app' },
  } as const
  return { context: service.sessionsContext, base, facts }
}

function getRoute(service: SessionsService): Route {
  const { context, base, facts } = common(service)
  return defineRoute({
    ...facts,
    method: 'GET',
    operationId: 'getMigrationConfig',
    summary: 'Retrieve the migration configuration of an application',
    kind: 'read',
    query: askingQuery,
    answers: { 200: { description: 'The configuration.', schema: answer } },
    failures: ['not_found'],
    serve: async (asked) => {
      const app = appRef(base, asked)
      const { value, position } = await findMigrationConfig(context, app, asked.query)
      if (value) return seen({ value: { config: value }, position })
      throw new Failure('not_found', 'The application has no migration configuration.')
    },
  })
}

function setRoute(service: SessionsService): Route {
  const { context, base, facts } = common(service)
  return defineRoute({
    ...facts,
    method: 'PUT',
    operationId: 'setMigrationConfig',
    summary: 'Set the migration configuration of an application',
    kind: 'write',
    body: schemaBody<MigrationConfigInput>(input),
    answers: { 200: { description: 'The configuration.', schema: answer } },
    failures: ['conflict'],
    serve: async (asked) => {
      const change = { app: appRef(base, asked), ...asked.body }
      const set = await setMigrationConfig(context, asked.call, change)
      return written(200, asConfig(set))
    },
  })
}

function deleteRoute(service: SessionsService): Route {
  const { context, base, facts } = common(service)
  return defineRoute({
    ...facts,
    method: 'DELETE',
    operationId: 'deleteMigrationConfig',
    summary:
      'Delete the migration configuration of an application; one that is not set is no error',
    kind: 'write',
    answers: { 204: { description: 'There is no configuration any more.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) =>
      removed(await deleteMigrationConfig(context, asked.call, appRef(base, asked))),
  })
}

function asConfig({ value, ...facts }: Written<MigrationConfigView>): Written<object> {
  return { value: { config: value }, ...facts }
}
