/** Declares the routes for one recorded evaluation: show, compare and replay it. */

import { invalidRequest } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, optional, type TypeOf } from '../../domain/jsonSchema.ts'
import { findPersons, type OpenedPersons } from '../../domain/shownPersons.ts'
import {
  type EvaluationComparison,
  evaluationDifferenceSchema,
  findEvaluationDifference,
} from '../../queries/evaluation/difference/evaluationDifference.ts'
import { replayAsOf, replayAsOfSchema } from '../../queries/evaluation/difference/replayAsOf.ts'
import {
  type EvaluationView,
  evaluationSchema,
  type NotCountedView,
} from '../../queries/evaluation/evaluationView.ts'
import { findEvaluation } from '../../queries/evaluation/findEvaluation.ts'
import { replayEvaluation, replayResultSchema } from '../../queries/evaluation/replayEvaluation.ts'
import type { PositionOrTime } from '../../queries/reading/pointInTime.ts'
import { accountAccess } from '../request/access.ts'
import { longAnswer } from '../request/answer.ts'
import { optionalBody } from '../request/body/bodyReader.ts'
import { positionOrTimeParameter } from '../request/filterParameters.ts'
import { buildQueryReader, idParameter } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { suggestKnownField } from './evaluationBody.ts'
import { explainQuery } from './sampleEvidence.ts'

const asOf = positionOrTimeParameter(
  'as_of',
  'Run what was configured then instead of what is on record',
)
const { schema: asOfSchema, description } = asOf

const replayInputSchema = closedObject('ReplayInput', {
  as_of: optional({ ...asOfSchema, type: 'string', description }),
})

function readAsOf({ as_of }: TypeOf<typeof replayInputSchema>): PositionOrTime | undefined {
  const point = as_of === undefined ? undefined : asOf.parse(as_of)
  if (as_of !== undefined && !point) {
    throw invalidRequest([{ path: asOf.name, message: asOf.message }])
  }
  return point
}

const otherQuery = buildQueryReader({
  other: {
    ...idParameter('with', idPrefixes.evaluation, {
      description: 'The id of the evaluation to compare with.',
      message: 'Must be the id of another evaluation.',
    }),
    schema: { type: 'string', pattern: '^evl_[0-9a-z]{26}$' },
    required: true,
  },
})

const common = {
  tag: 'Audit',
  kind: 'plain',
  ids: { evaluation_id: idPrefixes.evaluation },
} as const

/** `/v2/watch/evaluations/{evaluation_id}`. */
export const recordedEvaluationRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v2/watch/evaluations/{evaluation_id}',
    operationId: 'getEvaluation',
    summary: 'Retrieve a recorded evaluation with its evidence and explanation',
    access: accountAccess('analyse'),
    query: explainQuery,
    failures: ['unknown_semantics'],
    answers: { 200: { description: 'The recorded evaluation.', schema: evaluationSchema } },
    serve: async ({ context, call, ids, query }) => {
      const view = await findEvaluation(context, call, { id: ids.evaluation_id, ...query })
      const persons = 'forgotten' in view.evidence ? [] : findPersons(view.evidence)
      return { value: addSuggestions(view), isLong: true, persons }
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v2/watch/evaluations/{evaluation_id}/difference',
    operationId: 'compareEvaluations',
    summary: 'Say why two recorded evaluations differ, the causes of their verdicts first',
    access: accountAccess('audit'),
    query: otherQuery,
    failures: ['evidence_forgotten', 'unknown_semantics'],
    answers: { 200: { description: 'How they differ.', schema: evaluationDifferenceSchema } },
    serve: async ({ context, call, ids, query }) => {
      const compared = { a: ids.evaluation_id, b: query.other }
      const value = await findEvaluationDifference(context, call, compared)
      return { value, isLong: true, persons: findDifferentPersons(value) }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/v2/watch/evaluations/{evaluation_id}/replay',
    operationId: 'replayEvaluation',
    summary: 'Compute a recorded evaluation again, from the record alone or as of another time',
    access: accountAccess('audit'),
    body: optionalBody(replayInputSchema),
    failures: ['evidence_forgotten', 'unknown_semantics'],
    answers: {
      200: {
        description: 'The result.',
        schema: { anyOf: [replayResultSchema, replayAsOfSchema] },
      },
    },
    serve: async ({ context, call, ids: { evaluation_id: id }, body }) => {
      const point = readAsOf(body)
      return longAnswer(
        point
          ? replayAsOf(context, call, { id, asOf: point })
          : replayEvaluation(context, call, id),
      )
    },
  }),
]

function findDifferentPersons({ causes, others }: EvaluationComparison): OpenedPersons {
  const differences = [...causes.flatMap((cause) => cause.differences), ...others]
  return findPersons(
    differences.flatMap(({ name, a, b }) => [
      { name, value: a },
      { name, value: b },
    ]),
  )
}

/** With the field that was most likely meant by each that is not known. */
function addSuggestions(view: EvaluationView): EvaluationView {
  const { not_counted } = view
  if ('forgotten' in not_counted) return view
  return { ...view, not_counted: not_counted.map(addSuggestion) }
}

function addSuggestion(sent: NotCountedView): NotCountedView {
  const suggestion = sent.reason === 'unknown_field' ? suggestKnownField(sent.name) : undefined
  return suggestion === undefined ? sent : { ...sent, suggestion }
}
