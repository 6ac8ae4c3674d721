/** Declares the routes for reading a recorded evaluation, comparing it with another, and replaying it. */

import { invalidRequest } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { closedObject, optional, type Schema, type TypeOf, timeText } from '../../domain/schema.ts'
import { findEvaluationDifference } from '../../queries/evaluation/difference/evaluationDifference.ts'
import { replayAsOf } from '../../queries/evaluation/difference/replayAsOf.ts'
import type { EvaluationView, NotCountedView } from '../../queries/evaluation/evaluationView.ts'
import { findEvaluation } from '../../queries/evaluation/findEvaluation.ts'
import { type Replay, replayEvaluation } from '../../queries/evaluation/replayEvaluation.ts'
import type { NamedPoint } from '../../queries/reading/pointInTime.ts'
import { noBody, optionalBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery, type Parameter, queryOf } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'
import { pointParameter } from '../request/soughtQuery.ts'
import { evaluationDifferenceSchema, replayAsOfSchema } from './differenceSchemas.ts'
import { meantField } from './evalRequest.ts'
import { verdictSchema } from './evaluateResponseSchema.ts'
import {
  evidenceItem,
  explainedRecipe,
  namedRecipeResult,
  nameSchema,
  notCountedSignal,
} from './explanationSchemas.ts'
import { explainQuery } from './sampleEvidence.ts'

/** What has been erased together with the person it was about. */
const forgotten: Schema = viewSchema<{ readonly forgotten: true }>('Forgotten', {
  forgotten: { const: true },
})

const pin: Schema = viewSchema<Plan['recipes'][number]>('RecipePin', {
  recipe_id: { type: 'string' },
  version_id: { type: 'string' },
  status: { type: 'string', enum: ['LIVE', 'SHADOW'] },
})

const evaluationSchema: Schema = viewSchema<EvaluationView>('Evaluation', {
  id: { type: 'string' },
  flow_id: { type: 'string' },
  flow_name: optional(nameSchema),
  flow_version_id: { type: 'string' },
  evaluated_at: { ...timeText, description: 'ISO 8601 UTC; the clock that the rules saw.' },
  verdict: verdictSchema,
  recipes: { type: 'array', items: namedRecipeResult },
  shadow_recipes: { type: 'array', items: namedRecipeResult },
  dispatch: { type: 'string', enum: ['none', 'found', 'expired', 'unknown'] },
  correlation_id: optional({
    type: 'string',
    description: 'For predictions that were sent with one.',
  }),
  evidence: { anyOf: [{ type: 'array', items: evidenceItem }, forgotten] },
  not_counted: {
    anyOf: [{ type: 'array', items: notCountedSignal }, forgotten],
    description: 'Signals that were sent and did not count.',
  },
  explanation: { anyOf: [{ type: 'array', items: explainedRecipe }, forgotten] },
  plan: viewSchema<Plan>('PlanPins', {
    digest: { type: 'string' },
    recipes: { type: 'array', items: pin },
  }),
  semantics_version: { type: 'integer' },
  result_hash: { type: 'string', description: 'SHA-256 of the answered body, hexadecimal.' },
  position: { type: 'string' },
  as_of: {
    type: 'string',
    description:
      'Log position up to which the evidence was gathered; later changes may not be included.',
  },
})

const difference: Schema = viewSchema<Replay['differences'][number]>('ReplayDifference', {
  path: { type: 'string' },
  recorded: optional({ description: 'Absent when the record has no value at the path.' }),
  recomputed: optional({ description: 'Absent when the recomputation has no value at the path.' }),
})

const replaySchema: Schema = viewSchema<Replay>('Replay', {
  result: { type: 'string', enum: ['MATCH', 'MISMATCH'] },
  differences: { type: 'array', items: difference },
})

const asOf = pointParameter('as_of', 'Run what was configured then instead of what is on record')
const { schema: asOfSchema, description } = asOf

const replayInputSchema = closedObject('ReplayInput', {
  as_of: optional({ ...asOfSchema, type: 'string', description }),
})

function readAsOf({ as_of }: TypeOf<typeof replayInputSchema>): NamedPoint | undefined {
  const point = as_of === undefined ? undefined : asOf.parse(as_of)
  if (as_of !== undefined && !point) {
    throw invalidRequest([{ path: asOf.name, message: asOf.message }])
  }
  return point
}

const otherQuery = queryOf({
  other: {
    name: 'with',
    description: 'The id of the evaluation to compare with.',
    schema: { type: 'string', pattern: '^evl_[0-9a-z]{26}$' },
    required: true,
    parse: (text) => (isId(idPrefixes.evaluation, text) ? text : undefined),
    message: 'Must be the id of another evaluation.',
  } satisfies Parameter<string>,
})

const common = {
  tag: 'Audit',
  kind: 'plain',
  ids: { evaluation_id: idPrefixes.evaluation },
} as const

/** `/v2/watch/evaluations/{evaluation_id}`. */
export function evaluationRoutes(served: Served): readonly Route[] {
  return [getRoute(served), differenceRoute(served), replayRoute(served)]
}

function getRoute(served: Served): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/v2/watch/evaluations/{evaluation_id}',
    operationId: 'getEvaluation',
    summary: 'Retrieve a recorded evaluation with its evidence and explanation',
    access: accountAccess(served.authenticate, 'analyse'),
    query: explainQuery,
    body: noBody,
    failures: ['invalid_request', 'unknown_semantics'],
    answers: { 200: { description: 'The recorded evaluation.', schema: evaluationSchema } },
    serve: async ({ call, ids, query }) => ({
      status: 200,
      body: withSuggestions(
        await findEvaluation(served.context, call, { id: ids.evaluation_id, detail: query }),
      ),
    }),
  })
}

function differenceRoute(served: Served): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/v2/watch/evaluations/{evaluation_id}/difference',
    operationId: 'compareEvaluations',
    summary: 'Say why two recorded evaluations differ, the causes of their verdicts first',
    access: accountAccess(served.authenticate, 'audit'),
    query: otherQuery,
    body: noBody,
    failures: ['invalid_request', 'evidence_forgotten', 'unknown_semantics'],
    answers: { 200: { description: 'How they differ.', schema: evaluationDifferenceSchema } },
    serve: async ({ call, ids, query }) => ({
      status: 200,
      body: await findEvaluationDifference(served.context, call, {
        a: ids.evaluation_id,
        b: query.other,
      }),
    }),
  })
}

function replayRoute(served: Served): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/v2/watch/evaluations/{evaluation_id}/replay',
    operationId: 'replayEvaluation',
    summary: 'Compute a recorded evaluation again, from the record alone or as of another time',
    access: accountAccess(served.authenticate, 'audit'),
    query: noQuery,
    body: optionalBody(replayInputSchema),
    failures: ['invalid_request', 'evidence_forgotten', 'unknown_semantics'],
    answers: {
      200: { description: 'The result.', schema: { anyOf: [replaySchema, replayAsOfSchema] } },
    },
    serve: async ({ call, ids: { evaluation_id: id }, body }) => {
      const point = readAsOf(body)
      return {
        status: 200,
        body: await (point
          ? replayAsOf(served.context, call, { id, asOf: point })
          : replayEvaluation(served.context, call, id)),
      }
    },
  })
}

/** With the field that was most likely meant by each that is not known. */
function withSuggestions(view: EvaluationView): EvaluationView {
  const { not_counted } = view
  if ('forgotten' in not_counted) return view
  return { ...view, not_counted: not_counted.map(suggested) }
}

function suggested(sent: NotCountedView): NotCountedView {
  const suggestion = sent.reason === 'unknown_field' ? meantField(sent.name) : undefined
  return suggestion === undefined ? sent : { ...sent, suggestion }
}

type Plan = EvaluationView['plan']
