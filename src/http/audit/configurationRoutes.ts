/** Declares the routes for the configuration as of a time, and the difference of two. */

import { optional, type Schema, timeText } from '../../domain/schema.ts'
import {
  type ChangeView,
  type DifferenceView,
  type FieldChange,
  findDifference,
  findState,
  type ResourceView,
  type StateView,
} from '../../queries/audit/configuration/configuration.ts'
import { resourceKinds } from '../../queries/audit/configuration/resources.ts'
import { seen } from '../request/answer.ts'
import { noBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import {
  choiceParameter,
  cursorParameter,
  limitParameter,
  queryOf,
} from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'
import { pointParameter } from '../request/soughtQuery.ts'

const kind = choiceParameter(
  'kind',
  resourceKinds,
  'Only resources of this kind; all, entries of lists last, unless given.',
)
const page = { kind, limit: limitParameter, cursor: cursorParameter }

const stateQuery = queryOf({
  asOf: pointParameter('as_of', 'As of when; now unless given'),
  ...page,
})

const differenceQuery = queryOf({
  from: { ...pointParameter('from', 'Since when'), required: true },
  to: pointParameter('to', 'Until when; now unless given'),
  ...page,
})

const position: Schema = { type: 'string', pattern: '^[0-9]+$' }

const resourceFields = {
  kind: kind.schema,
  id: { type: 'string' },
  position: { ...position, description: 'Of its last change in the log.' },
  changed_at: timeText,
  changed_by: {
    type: 'string',
    description:
      'Id of the token, the key, the user or the application; or `operator` or `service`.',
  },
} as const

const nextCursor = optional({ type: 'string', description: 'Absent on the last page.' })

const stateSchema: Schema = viewSchema<StateView>('ConfigurationState', {
  as_of: { ...position, description: 'In the log.' },
  items: {
    type: 'array',
    items: viewSchema<ResourceView>('ConfigurationItem', {
      ...resourceFields,
      content: {
        type: 'object',
        description:
          'Without hashes of secrets. Personal data is `{"sealed": true}` for a token without the scope `analyse`, and `{"forgotten": true}` once it is erased.',
      },
    }),
  },
  next_cursor: nextCursor,
})

const differenceSchema: Schema = viewSchema<DifferenceView>('ConfigurationDifference', {
  from: { ...position, description: 'In the log.' },
  to: { ...position, description: 'In the log.' },
  changes: {
    type: 'array',
    items: viewSchema<ChangeView>('ConfigurationChange', {
      ...resourceFields,
      change: { type: 'string', enum: ['added', 'removed', 'changed'] },
      name: optional({ type: 'string' }),
      fields: {
        type: 'array',
        items: viewSchema<FieldChange>('ConfigurationFieldChange', {
          path: { type: 'string', description: 'Dotted, such as `rules.rul_….weight`.' },
          before: optional({ description: 'Absent where there was nothing.' }),
          after: optional({ description: 'Absent where there is nothing any more.' }),
        }),
      },
    }),
  },
  next_cursor: nextCursor,
})

/** `GET /v2/watch/audit/state` and `GET /v2/watch/audit/difference`. */
export function configurationRoutes({ context, authenticate }: Served): readonly Route[] {
  const common = {
    method: 'GET',
    tag: 'Audit',
    kind: 'read',
    access: accountAccess(authenticate, 'audit'),
    ids: {},
    body: noBody,
    failures: ['invalid_request'],
  } as const
  return [
    defineRoute({
      ...common,
      path: '/v2/watch/audit/state',
      operationId: 'listState',
      summary: 'List the configuration of the account as it was at a position or a time',
      query: stateQuery,
      answers: { 200: { description: 'What was configured.', schema: stateSchema } },
      serve: async ({ call, query }) => seen(await findState(context, call, query)),
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/audit/difference',
      operationId: 'listDifference',
      summary: 'List what changed in the configuration of the account between two points',
      query: differenceQuery,
      answers: { 200: { description: 'What is not as it was.', schema: differenceSchema } },
      serve: async ({ call, query }) => seen(await findDifference(context, call, query)),
    }),
  ]
}
