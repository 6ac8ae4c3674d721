/** Routes reading a recorded evaluation and replaying it from its record. */

import { idPrefixes } from '../../domain/ids.ts'
import { optional, type Schema, timeText } from '../../domain/schema.ts'
import type { EvaluationView, NotCountedView } from '../../queries/evaluation/evaluationView.ts'
import { findEvaluation } from '../../queries/evaluation/findEvaluation.ts'
import { type Replay, replayEvaluation } from '../../queries/evaluation/replayEvaluation.ts'
import { noBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'
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
    description: 'Of a prediction that was sent with one.',
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
      'Position up to which the log was known when the evidence was gathered; of what came later it may say nothing.',
  },
})

const difference: Schema = viewSchema<Replay['differences'][number]>('ReplayDifference', {
  path: { type: 'string' },
  recorded: optional({ description: 'Absent when the record has nothing at the path.' }),
  recomputed: optional({ description: 'Absent when the computation gave nothing at the path.' }),
})

const replaySchema: Schema = viewSchema<Replay>('Replay', {
  result: { type: 'string', enum: ['MATCH', 'MISMATCH'] },
  differences: { type: 'array', items: difference },
})

/** `/v2/watch/evaluations/{evaluation_id}`. */
export function evaluationRoutes({ context, authenticate }: Served): readonly Route[] {
  const common = {
    tag: 'Audit',
    kind: 'plain',
    ids: { evaluation_id: idPrefixes.evaluation },
    body: noBody,
  } as const
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v2/watch/evaluations/{evaluation_id}',
      operationId: 'getEvaluation',
      summary: 'Retrieve a recorded evaluation with its evidence and explanation',
      access: accountAccess(authenticate, 'analyse'),
      query: explainQuery,
      failures: ['invalid_request', 'unknown_semantics'],
      answers: { 200: { description: 'The recorded evaluation.', schema: evaluationSchema } },
      serve: async ({ call, ids, query }) => ({
        status: 200,
        body: withSuggestions(
          await findEvaluation(context, call, { id: ids.evaluation_id, detail: query }),
        ),
      }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/v2/watch/evaluations/{evaluation_id}/replay',
      operationId: 'replayEvaluation',
      summary: 'Compute a recorded evaluation again, from the record alone',
      access: accountAccess(authenticate, 'audit'),
      query: noQuery,
      failures: ['evidence_forgotten', 'unknown_semantics'],
      answers: { 200: { description: 'What came out.', schema: replaySchema } },
      serve: async ({ call, ids }) => ({
        status: 200,
        body: await replayEvaluation(context, call, ids.evaluation_id),
      }),
    }),
  ]
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
