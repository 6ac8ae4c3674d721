/** Recorded evaluations: seen again, and computed again. */

import { idPrefixes } from '../../domain/ids.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { EvaluationPart } from '../../service/evaluation/evaluationPart.ts'
import type { EvaluationView, NotCountedView } from '../../service/evaluation/evaluationView.ts'
import { accountAccess } from '../request/access.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { evaluationSchema, replaySchema } from './evaluationSchemas.ts'
import { explainQuery } from './explainQuery.ts'
import { meantField } from './unknownFields.ts'

/** `/v2/watch/evaluations/{evaluation_id}`. */
export function evaluationRoutes(service: AccountsPart & EvaluationPart): readonly Route[] {
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
      access: accountAccess(service.authenticate, 'analyse'),
      query: explainQuery,
      failures: ['invalid_request', 'unknown_semantics'],
      answers: { 200: { description: 'The recorded evaluation.', schema: evaluationSchema } },
      serve: async ({ call, ids, query }) => ({
        status: 200,
        body: withSuggestions(await service.findEvaluation(call, ids.evaluation_id, query)),
      }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/v2/watch/evaluations/{evaluation_id}/replay',
      operationId: 'replayEvaluation',
      summary: 'Compute a recorded evaluation again, from the record alone',
      access: accountAccess(service.authenticate, 'audit'),
      query: noQuery,
      failures: ['evidence_forgotten', 'unknown_semantics'],
      answers: { 200: { description: 'What came out.', schema: replaySchema } },
      serve: async ({ call, ids }) => ({
        status: 200,
        body: await service.replayEvaluation(call, ids.evaluation_id),
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
