/** Declares the routes for the progress of projections and the retry of their parked events (operator). */

import { retryProjection } from '../../commands/operations/retryProjection.ts'
import {
  listProjections,
  projectionListSchema,
  projectionRetrySchema,
} from '../../queries/operations/projections.ts'
import { seen } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { operatorAccess, type Route } from '../request/route.ts'

const path = '/v2/operator/projections'

const common = {
  tag: 'Operator',
  access: operatorAccess,
  failures: [],
} as const

/** `GET /v2/operator/projections` and the retry of one of them. */
export const projectionRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    method: 'GET',
    path,
    kind: 'read',
    operationId: 'listProjections',
    summary: 'List the projections with progress and parked events',
    answers: { 200: { description: 'Every projection.', schema: projectionListSchema } },
    serve: async ({ context }) => {
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
    answers: { 200: { description: 'The results.', schema: projectionRetrySchema } },
    serve: async ({ context, ids }) => ({
      status: 200,
      body: await retryProjection(context, ids.name),
    }),
  }),
]
