/** Reads the query parameters of evaluation lists, searches and recipe comparisons. */

import type { FailureDetail } from '../../domain/failure.ts'
import { type IdPrefix, idPrefixes, isId } from '../../domain/ids.ts'
import type {
  EvaluationListQuery,
  EvaluationSearchQuery,
} from '../../queries/analysis/evaluationSearch.ts'
import type { ComparisonQuery } from '../../queries/analysis/recipeComparison.ts'
import {
  buildTimeRangeParameters,
  buildTimeRangeReader,
  filterParameter,
  timeOrderedListParameters,
} from '../request/filterParameters.ts'
import {
  buildQueryReader,
  choiceParameter,
  cursorParameter,
  minPositionParameter,
  numberParameter,
  type QueryReader,
  type QueryTexts,
  type TypedQueryParameter,
} from '../request/queryReader.ts'

const positions = {
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
  phoneNumber: filterParameter('phone_number'),
  emailAddress: filterParameter('email_address'),
  ip: filterParameter('ip'),
  deviceId: filterParameter('device_id'),
  correlationId: filterParameter('correlation_id'),
}

const { limit, minPosition, ...searched } = { ...searchTerms, ...timeOrderedListParameters }
const searchNames = Object.values(searched).map(({ name }) => name)

const following = buildQueryReader({ ...filter, ...positions, limit, minPosition })
const searching = buildTimeRangeReader({ ...filter, ...searchTerms, ...timeOrderedListParameters })

/**
 * `flow_id` and `verdict`, with `after` or `before` to follow the log by positions, or with what makes it a search in the `order` of time.
 */
export const evaluationsQuery: QueryReader<EvaluationListQuery | EvaluationSearchQuery> = {
  parameters: Object.values({
    ...filter,
    ...positions,
    ...searchTerms,
    ...timeOrderedListParameters,
  }),
  read: (given, details) =>
    searchNames.some((name) => given[name] !== undefined)
      ? readSearch(given, details)
      : readFollowing(given, details),
}

function readFollowing(given: QueryTexts, details: FailureDetail[]) {
  const asked = following.read(given, details)
  if (asked.after !== undefined && asked.before !== undefined) {
    details.push({ path: 'before', message: 'Must not stand together with after.' })
  }
  return asked
}

function readSearch(given: QueryTexts, details: FailureDetail[]) {
  for (const name of ['after', 'before'] as const) {
    if (given[name] === undefined) continue
    const message = `Follows the log, and must not stand together with ${searchNames.join(', ')}.`
    details.push({ path: name, message })
  }
  return searching.read(given, details)
}

/** `with`, `from`, `to`, `cursor`, `min_position`. */
export const comparisonQuery: QueryReader<Omit<ComparisonQuery, 'recipeId'>> = buildTimeRangeReader(
  {
    otherRecipeId: {
      ...idParameter('with', idPrefixes.recipe, {
        description: 'The id of the recipe to compare with.',
        message: 'Must be the id of another recipe.',
      }),
      required: true as const,
    },
    ...buildTimeRangeParameters(
      'ISO 8601 with a zone, included; a week before `to` by default.',
      'ISO 8601 with a zone, excluded; now by default.',
    ),
    cursor: cursorParameter,
    minPosition: minPositionParameter,
  },
)

function idParameter(
  name: string,
  prefix: IdPrefix,
  words: { readonly description: string; readonly message: string },
) {
  const schema = { type: 'string' }
  const parse = (text: string) => (isId(prefix, text) ? text : undefined)
  return { name, ...words, schema, parse } satisfies TypedQueryParameter<string>
}
