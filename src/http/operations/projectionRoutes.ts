/** Routes the progress of projections and the retry of their parked events (operator). */

import { retryProjection } from '../../commands/operations/retryProjection.ts'
import { count, optional, type Schema } from '../../domain/schema.ts'
import {
  listProjections,
  type ProjectionView,
  type RetryView,
} from '../../queries/operations/projections.ts'
import { seen } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { operatorAccess, type Route, type Served } from '../request/route.ts'
import { type Fields, viewSchema } from '../request/schema/fields.ts'
import { projectionHealthFields } from './healthSchemas.ts'

const text: Schema = { type: 'string' }

const parkedEvent: Schema = viewSchema<ParkedEvent>('ParkedEvent', {
  position: { ...count, description: 'Where the event stands in the log.' },
  type: text,
  stream: text,
  revision: { ...count, description: 'Where it stands in its stream.' },
  sequence: {
    ...text,
    description: 'What it belongs to, and what its later events wait with: a stream or a document.',
  },
  error: optional({
    ...text,
    description:
      'Why it could not be applied, without personal data; absent on events that wait behind another one.',
  }),
})

const parking = {
  parked_events: {
    type: 'array',
    description: 'The first 100 of them, in the order of the log.',
    items: parkedEvent,
  },
  error: optional({
    ...text,
    description: 'Why the projection does not go on; absent when it does.',
  }),
} satisfies Fields<Pick<ProjectionView, 'parked_events' | 'error'>>

const projection: Schema = viewSchema<ProjectionView>('Projection', {
  ...projectionHealthFields,
  ...parking,
})

const projectionListSchema: Schema = viewSchema<{
  readonly projections: readonly ProjectionView[]
}>('ProjectionList', { projections: { type: 'array', items: projection } })

const projectionRetrySchema: Schema = viewSchema<RetryView>('ProjectionRetry', {
  name: text,
  applied: { ...count, description: 'Events applied now, and parked no more.' },
  parked: projectionHealthFields.parked,
  ...parking,
})

const path = '/v2/operator/projections'

/** `GET /v2/operator/projections` and the retry of one of them. */
export function projectionRoutes({ authenticate, context }: Served): readonly Route[] {
  const common = {
    tag: 'Operator',
    access: operatorAccess(authenticate),
    failures: [],
  } as const
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      kind: 'read',
      operationId: 'listProjections',
      summary: 'List the projections, how far they are, and what they have parked',
      answers: { 200: { description: 'Every projection.', schema: projectionListSchema } },
      serve: async () => {
        const { value, position } = await listProjections(context)
        return seen({ value: { projections: value }, position })
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${path}/{name}/retry`,
      kind: 'plain',
      operationId: 'retryProjection',
      summary: 'Apply the parked events of a projection again; doing so twice is no error',
      ids: { name: 'name' },
      answers: { 200: { description: 'What became of them.', schema: projectionRetrySchema } },
      serve: async ({ ids }) => ({ status: 200, body: await retryProjection(context, ids.name) }),
    }),
  ]
}

type ParkedEvent = ProjectionView['parked_events'][number]
