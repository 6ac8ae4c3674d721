/** Declares the routes for evaluation lists and the usage of a rule. */

import { requireScope } from '../../auth/requireScope.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import {
  type EvaluationListQuery,
  type EvaluationSearchQuery,
  evaluationListSchema,
  listEvaluations,
  searchEvaluations,
} from '../../queries/analysis/evaluationSearch.ts'
import { listMatchingEvaluations } from '../../queries/analysis/listMatchingEvaluations.ts'
import { findUsageOfRule, ruleUsageSchema } from '../../queries/analysis/ruleUsage.ts'
import { type ConcurrencyLimit, withinLimit } from '../lists/listLimits.ts'
import { accountAccess } from '../request/access.ts'
import { longAnswer, pageAnswer, valueAnswer } from '../request/answer.ts'
import {
  buildTimeRangeReader,
  filterParameters,
  timeOrderedListParameters,
} from '../request/filterParameters.ts'
import {
  buildQueryReader,
  choiceParameter,
  idParameter,
  numberParameter,
  type QueryReader,
  type QueryTexts,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { scanParameters } from './scanAnswer.ts'

const positionParameters = {
  after: numberParameter(
    'after',
    'Follow the log: evaluations after this position, `next_after` of the previous page. Without it, and without a search, the newest are returned.',
  ),
  before: numberParameter(
    'before',
    'The newest before this log position: `next_before` of the previous page. Not together with `after`.',
    { min: 1 },
  ),
}

const filter = {
  flowId: idParameter('flow_id', idPrefixes.flow, {
    description: 'Only of this flow.',
    message: 'Must be the id of a flow.',
  }),
  verdict: choiceParameter('verdict', ['PASS', 'FLAG'], 'Only with this verdict.'),
}

const searchTerms = {
  phoneNumber: filterParameters.phone_number,
  emailAddress: filterParameters.email_address,
  ip: filterParameters.ip,
  deviceId: filterParameters.device_id,
  correlationId: filterParameters.correlation_id,
  where: scanParameters.where,
}

const { limit, minPosition, ...searched } = { ...searchTerms, ...timeOrderedListParameters }
const searchNames = Object.values(searched).map(({ name }) => name)

const following = buildQueryReader({ ...filter, ...positionParameters, limit, minPosition })
const searching = buildTimeRangeReader({ ...filter, ...searchTerms, ...timeOrderedListParameters })

/**
 * `flow_id` and `verdict`, with `after` or `before` to follow the log by positions, or with what makes it a search in
 * the `order` of time.
 */
const evaluationsQuery: QueryReader<
  EvaluationListQuery | (EvaluationSearchQuery & { readonly where?: string })
> = {
  parameters: Object.values({
    ...filter,
    ...positionParameters,
    ...searchTerms,
    ...timeOrderedListParameters,
  }),
  read: (given, details) =>
    searchNames.some((name) => given[name] !== undefined)
      ? readSearch(given, details)
      : readFollowing(given, details),
}

function readFollowing(given: QueryTexts, details: FailureDetail[]) {
  const positions = following.read(given, details)
  if (positions.after !== undefined && positions.before !== undefined) {
    details.push({ path: 'before', message: 'Must not stand together with after.' })
  }
  return positions
}

function readSearch(given: QueryTexts, details: FailureDetail[]) {
  for (const name of ['after', 'before'] as const) {
    if (given[name] === undefined) continue
    const message = `Follows the log, and must not stand together with ${searchNames.join(', ')}.`
    details.push({ path: name, message })
  }
  return searching.read(given, details)
}

const common = {
  method: 'GET',
  tag: 'Analysis',
  access: accountAccess('analyse'),
} as const

/** `/v2/watch/evaluations`. */
export function evaluationListRoute(longAnswers: ConcurrencyLimit): Route {
  return defineRoute({
    ...common,
    path: '/v2/watch/evaluations',
    operationId: 'listEvaluations',
    summary: 'Follow recorded evaluations in the order of the log, or search them',
    query: evaluationsQuery,
    answers: { 200: { description: 'The evaluations.', schema: evaluationListSchema } },
    serve: ({ context, call, query }) => {
      if (!('order' in query)) return longAnswer(listEvaluations(context, call, query))
      const { where, ...search } = query
      if (where === undefined) {
        return pageAnswer('evaluations', searchEvaluations(context, call, search))
      }
      // conditions tell what persons have sent
      const { accountId } = requireScope(call.principal, ['analyse'])
      const list = () => listMatchingEvaluations(context, call, { ...search, where })
      return pageAnswer('evaluations', withinLimit(longAnswers, accountId, list))
    },
  })
}

/** `GET /v2/watch/management/rules/{id}/usage`. */
export const ruleUsageRoute: Route = defineRoute({
  method: 'GET',
  path: '/v2/watch/management/rules/{id}/usage',
  operationId: 'getRuleUsage',
  summary: 'Show the recipes and flows that use a rule',
  tag: 'Authoring',
  access: accountAccess('author'),
  ids: { id: idPrefixes.rule },
  answers: { 200: { description: 'The usage.', schema: ruleUsageSchema } },
  failures: ['access_not_enabled'],
  serve: ({ context, call, ids }) =>
    valueAnswer(findUsageOfRule(context, call, { ruleId: ids.id })),
})
