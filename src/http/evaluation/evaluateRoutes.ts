/** Declares the routes to evaluate (spec 4.1), to predict, and to set the prediction flow. */

import { evaluateFlow } from '../../commands/evaluation/evaluateFlow.ts'
import {
  clearPredictionFlow,
  predict,
  predictionFlowInputSchema,
  predictionFlowSchema,
  predictionSchema,
  setPredictionFlow,
} from '../../commands/evaluation/predict.ts'
import { evaluateResponseSchema } from '../../engine/run/result.ts'
import { findPredictionFlow } from '../../queries/evaluation/predictionFlow.ts'
import { accountAccess } from '../request/access.ts'
import { jsonBodyReader, schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import {
  evaluateRequestSchema,
  parseEvaluationBody,
  parsePredictionBody,
  predictRequestSchema,
} from './evaluationBody.ts'

/** `POST /v2/watch/eval`. */
export const evaluateRoute: Route = defineRoute({
  method: 'POST',
  path: '/v2/watch/eval',
  operationId: 'evaluateFlow',
  summary: 'Evaluate a flow',
  tag: 'Watch',
  access: accountAccess('eval'),
  body: jsonBodyReader(evaluateRequestSchema, { size: 'small' }, parseEvaluationBody),
  answers: { 200: { description: 'The verdict.', schema: evaluateResponseSchema } },
  failures: [],
  serve: ({ context, call, body }) => evaluateFlow(context, call, body),
})

const flow = {
  path: '/v2/watch/management/predict',
  tag: 'Authoring',
  access: accountAccess('author'),
} as const

/** `POST /v2/watch/predict` and `/v2/watch/management/predict`. */
export const predictRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v2/watch/predict',
    operationId: 'predict',
    summary:
      'Predict whether an end user is legitimate or suspicious, by the flow that is set for it',
    tag: 'Watch',
    access: accountAccess('eval'),
    body: jsonBodyReader(predictRequestSchema, { size: 'small' }, parsePredictionBody),
    answers: { 200: { description: 'The prediction.', schema: predictionSchema } },
    failures: [],
    serve: ({ context, call, body }) => predict(context, call, body),
  }),
  defineRoute({
    ...flow,
    method: 'GET',
    operationId: 'getPredictionFlow',
    summary: 'Retrieve the flow that answers predictions',
    kind: 'plain',
    answers: { 200: { description: 'The flow.', schema: predictionFlowSchema } },
    failures: ['access_not_enabled', 'not_found'],
    serve: async ({ context, call }) => ({ value: await findPredictionFlow(context, call) }),
  }),
  defineRoute({
    ...flow,
    method: 'PUT',
    operationId: 'setPredictionFlow',
    summary: 'Set the flow that answers predictions',
    body: schemaBody(predictionFlowInputSchema),
    answers: {
      200: { description: 'The flow answers predictions now.', schema: predictionFlowSchema },
    },
    failures: ['access_not_enabled', 'conflict'],
    serve: ({ context, call, body }) => setPredictionFlow(context, call, body),
  }),
  defineRoute({
    ...flow,
    method: 'DELETE',
    operationId: 'clearPredictionFlow',
    summary: 'Remove the flow that answers predictions',
    answers: { 204: { description: 'No flow answers predictions now.' } },
    failures: ['access_not_enabled', 'conflict'],
    serve: ({ context, call }) => clearPredictionFlow(context, call),
  }),
]
