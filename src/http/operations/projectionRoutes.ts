/** How the operator sees the projections, and has their parked events applied again. */

import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { OperationsPart } from '../../service/operations/operationsPart.ts'
import { operatorAccess } from '../request/access.ts'
import { seen } from '../request/answer.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { projectionListSchema, projectionRetrySchema } from './projectionSchemas.ts'

const path = '/v2/operator/projections'

/** `GET /v2/operator/projections` and the retry of one of them. */
export function projectionRoutes({
  authenticate,
  projections,
}: AccountsPart & OperationsPart): readonly Route[] {
  const common = {
    tag: 'Operator',
    access: operatorAccess(authenticate),
    query: noQuery,
    body: noBody,
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
      ids: {},
      answers: { 200: { description: 'Every projection.', schema: projectionListSchema } },
      serve: async ({ call }) => {
        const { value, position } = await projections.list(call)
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
      serve: async ({ call, ids }) => ({
        status: 200,
        body: await projections.retry(call, ids.name),
      }),
    }),
  ]
}
