/** Declares the routes for evaluations (spec 4.1), predictions, and the choice of the prediction flow. */

import { evaluateFlow } from '../../commands/evaluation/evaluateFlow.ts'
import {
  clearPredictionFlow,
  type PredictionFlow,
  type PredictionView,
  predict,
  setPredictionFlow,
} from '../../commands/evaluation/predict.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { Schema } from '../../domain/schema.ts'
import { findPredictionFlow } from '../../queries/evaluation/predictionFlow.ts'
import { removed, written } from '../request/answer.ts'
import { noBody, readableBody, schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { inputSchema, viewSchema } from '../request/schema/fields.ts'
import { readEvalRequest, readPredictRequest } from './evalRequest.ts'
import { evaluateRequestSchema, predictRequestSchema } from './evaluateRequestSchema.ts'
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

const predictionSchema: Schema = viewSchema<PredictionView>('Prediction', {
  id: { type: 'string', description: 'Id of the recorded evaluation.' },
  prediction: { type: 'string', enum: ['legitimate', 'suspicious'] },
  request_id: { type: 'string', description: 'Id of the request that recorded it.' },
})

const flowId: Schema = {
  type: 'string',
  pattern: `^${idPrefixes.flow}_[0-7][0-9a-z]{25}$`,
  description: 'The flow that answers predictions.',
}
const flowInput: Schema = inputSchema<PredictionFlow>('PredictionFlowInput', { flow_id: flowId })
const flowView: Schema = viewSchema<PredictionFlow>('PredictionFlow', { flow_id: flowId })

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
    ids: {},
    query: noQuery,
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
    ids: {},
    query: noQuery,
  } as const
  return [
    defineRoute({
      ...common,
      method: 'GET',
      operationId: 'getPredictionFlow',
      summary: 'Retrieve the flow that answers predictions',
      kind: 'plain',
      body: noBody,
      answers: { 200: { description: 'The flow.', schema: flowView } },
      failures: ['access_not_enabled', 'not_found'],
      serve: async ({ call }) => ({ status: 200, body: await findPredictionFlow(context, call) }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      operationId: 'setPredictionFlow',
      summary: 'Set the flow that answers predictions',
      kind: 'write',
      body: schemaBody<PredictionFlow>(flowInput),
      answers: { 200: { description: 'The flow answers predictions now.', schema: flowView } },
      failures: ['access_not_enabled', 'conflict'],
      serve: async ({ call, body }) => written(200, await setPredictionFlow(context, call, body)),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      operationId: 'clearPredictionFlow',
      summary: 'Remove the flow that answers predictions',
      kind: 'write',
      body: noBody,
      answers: { 204: { description: 'No flow answers predictions now.' } },
      failures: ['invalid_request', 'access_not_enabled', 'conflict'],
      serve: async ({ call }) => removed(await clearPredictionFlow(context, call)),
    }),
  ]
}
