/** Routes the configuration of an account as of a point in its history, and the difference of two. */

import type { FailureDetail } from '../../domain/failure.ts'
import {
  type ChangeView,
  type DifferenceAsked,
  type DifferenceView,
  type FieldChange,
  findDifference,
  findState,
  type ResourceView,
  type StateAsked,
  type StateView,
} from '../../queries/audit/configuration/configuration.ts'
import { type ResourceKind, resourceKinds } from '../../queries/audit/configuration/resources.ts'
import { seen } from '../request/answer.ts'
import { noBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import {
  cursorParameter,
  limitParameter,
  type QueryReader,
  type QueryTexts,
  readCursor,
  readNumber,
} from '../request/queryReader.ts'
import { accountAccess, type QueryParameter, type Route, type Served } from '../request/route.ts'
import { optional, viewSchema } from '../request/schema/fields.ts'
import { limits, type Schema, timeText } from '../request/schema/schema.ts'
import { pointSchema, readPoint } from '../request/soughtQuery.ts'

const kindSchema: Schema = { type: 'string', enum: [...resourceKinds] }

const pageParameters: readonly QueryParameter[] = [
  {
    name: 'kind',
    description: 'Only resources of this kind; all, entries of lists last, unless given.',
    schema: kindSchema,
  },
  limitParameter,
  cursorParameter,
]

function point(name: string, meaning: string): QueryParameter {
  const description = `${meaning}: a position of the log, such as \`X-Vigil-Position\` says, or ISO 8601 with a zone.`
  return { name, description, schema: pointSchema }
}

const stateQuery: QueryReader<StateAsked> = {
  parameters: [point('as_of', 'As of when; now unless given'), ...pageParameters],
  read: (given, details) => {
    const asOf = readPoint(given, 'as_of', details)
    return { ...readPage(given, details), ...(asOf && { asOf }) }
  },
}

const differenceQuery: QueryReader<DifferenceAsked> = {
  parameters: [
    { ...point('from', 'Since when'), required: true },
    point('to', 'Until when; now unless given'),
    ...pageParameters,
  ],
  read: (given, details) => {
    const from = readPoint(given, 'from', details)
    if (given['from'] === undefined) details.push({ path: 'from', message: 'Is required.' })
    const to = readPoint(given, 'to', details)
    return { ...readPage(given, details), from: from ?? { position: 0 }, ...(to && { to }) }
  },
}

function readPage(given: QueryTexts, details: FailureDetail[]) {
  const limit = readNumber(given, { name: 'limit', min: 1, max: limits.page }, details)
  const cursor = readCursor(given, details)
  const kind = readKind(given, details)
  return {
    limit: limit ?? limits.pageDefault,
    ...(cursor !== undefined && { cursor }),
    ...(kind && { kind }),
  }
}

function readKind({ kind }: QueryTexts, details: FailureDetail[]): ResourceKind | undefined {
  const known = resourceKinds.find((one) => one === kind)
  if (kind !== undefined && !known) {
    details.push({ path: 'kind', message: `Must be one of: ${resourceKinds.join(', ')}.` })
  }
  return known
}

const position: Schema = { type: 'string', pattern: '^[0-9]+$' }

const resourceFields = {
  kind: kindSchema,
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
