/** Routes the evaluation of a flow (spec 4.1). */

import { evaluateFlow } from '../../commands/evaluation/evaluateFlow.ts'
import { written } from '../request/answer.ts'
import { readableBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { readEvalRequest } from './evalRequest.ts'
import { evaluateRequestSchema } from './evaluateRequestSchema.ts'
import { evaluateResponseSchema } from './evaluateResponseSchema.ts'

/** `POST /v2/watch/eval`. */
export function evalRoutes({ context, authenticate }: Served): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v2/watch/eval',
      operationId: 'evaluateFlow',
      summary: 'Evaluate a flow',
      tag: 'Watch',
      kind: 'write',
      access: accountAccess(authenticate, 'eval'),
      ids: {},
      query: noQuery,
      body: readableBody(evaluateRequestSchema, 'small', readEvalRequest),
      answers: { 200: { description: 'The verdict.', schema: evaluateResponseSchema } },
      failures: [],
      serve: async ({ call, body }) => written(200, await evaluateFlow(context, call, body)),
    }),
  ]
}
