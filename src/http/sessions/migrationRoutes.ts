/** The migration configuration of an application (spec 4.6, 4.7). */

import type { Written } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { migrationUrlMax } from '../../domain/outboundHost.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type {
  MigrationConfigInput,
  MigrationConfigView,
  SessionsPart,
} from '../../service/sessions/sessionsPart.ts'
import { removed, seen, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { inputSchema, viewSchema } from '../request/fields.ts'
import { askingQuery, noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { type Schema, timeText } from '../request/schema.ts'
import { accountDoor, appPlace } from './appDoor.ts'

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

type Sessions = AccountsPart & SessionsPart

/** `/v2/session/apps/{appID}/config/migration`; its errors are those of spec 7.3. */
export function migrationRoutes(service: Sessions): readonly Route[] {
  return [getRoute(service), setRoute(service), deleteRoute(service)]
}

function common(service: Sessions) {
  const door = accountDoor(service)
  const { tag, access, ids, path } = door
  const facts = {
    path: `${path}/{appID}/config/migration`,
    errors: 'migration',
    tag,
    access,
    ids: { ...ids, appID: 'app' },
  } as const
  return { door, facts }
}

function getRoute(service: Sessions): Route {
  const { door, facts } = common(service)
  return defineRoute({
    ...facts,
    method: 'GET',
    operationId: 'getMigrationConfig',
    summary: 'Retrieve the migration configuration of an application',
    kind: 'read',
    query: askingQuery,
    body: noBody,
    answers: { 200: { description: 'The configuration.', schema: answer } },
    failures: ['not_found'],
    serve: async (asked) => {
      const place = appPlace(door, asked)
      const { value, position } = await service.migrationConfig.get(place, asked.query)
      if (value) return seen({ value: { config: value }, position })
      throw new Failure('not_found', 'The application has no migration configuration.')
    },
  })
}

function setRoute(service: Sessions): Route {
  const { door, facts } = common(service)
  return defineRoute({
    ...facts,
    method: 'PUT',
    operationId: 'setMigrationConfig',
    summary: 'Set the migration configuration of an application',
    kind: 'write',
    query: noQuery,
    body: schemaBody<MigrationConfigInput>(input),
    answers: { 200: { description: 'The configuration.', schema: answer } },
    failures: ['conflict'],
    serve: async (asked) => {
      const place = appPlace(door, asked)
      const set = await service.migrationConfig.set(asked.call, place, asked.body)
      return written(200, asConfig(set))
    },
  })
}

function deleteRoute(service: Sessions): Route {
  const { door, facts } = common(service)
  return defineRoute({
    ...facts,
    method: 'DELETE',
    operationId: 'deleteMigrationConfig',
    summary:
      'Delete the migration configuration of an application; one that is not set is no error',
    kind: 'write',
    query: noQuery,
    body: noBody,
    answers: { 204: { description: 'There is no configuration any more.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) =>
      removed(await service.migrationConfig.remove(asked.call, appPlace(door, asked))),
  })
}

function asConfig({ value, ...facts }: Written<MigrationConfigView>): Written<object> {
  return { value: { config: value }, ...facts }
}
