/** Declares the routes for evaluations (spec 4.1), predictions, and the choice of the prediction flow. */

import { evaluateFlow } from '../../commands/evaluation/evaluateFlow.ts'
import {
  clearPredictionFlow,
  predict,
  predictionFlowInputSchema,
  predictionFlowSchema,
  predictionSchema,
  setPredictionFlow,
} from '../../commands/evaluation/predict.ts'
import { answerSchema } from '../../engine/run/result.ts'
import { findPredictionFlow } from '../../queries/evaluation/predictionFlow.ts'
import { removed, written } from '../request/answer.ts'
import { readableBody, schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { readEvalRequest, readPredictRequest } from './evalRequest.ts'
import { evaluateRequestSchema, predictRequestSchema } from './evaluateRequestSchema.ts'

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
      body: readableBody(evaluateRequestSchema, 'small', readEvalRequest),
      answers: { 200: { description: 'The verdict.', schema: answerSchema } },
      failures: [],
      serve: async ({ call, body }) => written(200, await evaluateFlow(context, call, body)),
    }),
  ]
}

/** `POST /v2/watch/predict` and `/v2/watch/management/predict`. */
export function predictRoutes(served: Served): readonly Route[] {
  return [predictRoute(served), ...flowRoutes(served)]
}

function predictRoute({ context, authenticate }: Served): Route {
  return defineRoute({
    method: 'POST',
    path: '/v2/watch/predict',
    operationId: 'predict',
    summary:
      'Predict whether an end user is legitimate or suspicious, by the flow that is set for it',
    tag: 'Watch',
    kind: 'write',
    access: accountAccess(authenticate, 'eval'),
    body: readableBody(predictRequestSchema, 'small', readPredictRequest),
    answers: { 200: { description: 'The prediction.', schema: predictionSchema } },
    failures: [],
    serve: async ({ call, body }) => written(200, await predict(context, call, body)),
  })
}

function flowRoutes({ context, authenticate }: Served) {
  const common = {
    path: '/v2/watch/management/predict',
    tag: 'Authoring',
    access: accountAccess(authenticate, 'author'),
  } as const
  return [
    defineRoute({
      ...common,
      method: 'GET',
      operationId: 'getPredictionFlow',
      summary: 'Retrieve the flow that answers predictions',
      kind: 'plain',
      answers: { 200: { description: 'The flow.', schema: predictionFlowSchema } },
      failures: ['access_not_enabled', 'not_found'],
      serve: async ({ call }) => ({ status: 200, body: await findPredictionFlow(context, call) }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      operationId: 'setPredictionFlow',
      summary: 'Set the flow that answers predictions',
      kind: 'write',
      body: schemaBody(predictionFlowInputSchema),
      answers: {
        200: { description: 'The flow answers predictions now.', schema: predictionFlowSchema },
      },
      failures: ['access_not_enabled', 'conflict'],
      serve: async ({ call, body }) => written(200, await setPredictionFlow(context, call, body)),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      operationId: 'clearPredictionFlow',
      summary: 'Remove the flow that answers predictions',
      kind: 'write',
      answers: { 204: { description: 'No flow answers predictions now.' } },
      failures: ['invalid_request', 'access_not_enabled', 'conflict'],
      serve: async ({ call }) => removed(await clearPredictionFlow(context, call)),
    }),
  ]
}
