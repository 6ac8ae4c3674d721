/** Declares the routes for the event history of an account, paged by log position. */

import { type HistoryQuery, historySchema, listHistory } from '../../queries/audit/history.ts'
import { accountAccess } from '../request/access.ts'
import {
  buildTimeRangeReader,
  filterParameter,
  timeRangeParameters,
} from '../request/filterParameters.ts'
import {
  limitParameter,
  minPositionParameter,
  numberParameter,
  type QueryReader,
  type TypedQueryParameter,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const nameMax = 64

function nameParameter(name: string, description: string) {
  return {
    name,
    description,
    schema: { type: 'string', minLength: 1, maxLength: nameMax },
    parse: (text) => (text !== '' && text.length <= nameMax ? text : undefined),
    message: `Must be 1 to ${nameMax} characters.`,
  } satisfies TypedQueryParameter<string>
}

const query = buildTimeRangeReader({
  type: nameParameter('type', 'Only events of this type, such as `RulePublished`.'),
  streamType: nameParameter(
    'stream_type',
    'Only of streams whose name begins with this before the first dash, such as `rulebook`.',
  ),
  actor: nameParameter(
    'actor',
    'Only by this token, key, user or application; or by `operator` or `service`.',
  ),
  phone: filterParameter('phone_number'),
  email: filterParameter('email_address'),
  ...timeRangeParameters,
  after: numberParameter(
    'after',
    'The oldest after this position: `next_after` of the previous page. Without it the newest are returned.',
  ),
  before: numberParameter(
    'before',
    'Only before this position: `next_before` of the previous page.',
    { min: 1 },
  ),
  limit: limitParameter,
  minPosition: minPositionParameter,
})

const historyQuery: QueryReader<HistoryQuery> = {
  ...query,
  read: (given, details) => {
    if (given['phone_number'] !== undefined && given['email_address'] !== undefined) {
      const message = 'Must not stand together with phone_number.'
      details.push({ path: 'email_address', message })
    }
    const { phone, email, ...asked } = query.read(given, details)
    return {
      ...asked,
      ...(email !== undefined && { person: { kind: 'email', value: email } }),
      ...(phone !== undefined && { person: { kind: 'phone', value: phone } }),
    }
  },
}

/** `GET /v2/watch/audit/events`. */
export const historyRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v2/watch/audit/events',
    operationId: 'listEvents',
    summary: 'List the events of the account: who changed what, and when',
    tag: 'Audit',
    access: accountAccess('audit'),
    query: historyQuery,
    answers: { 200: { description: 'The events.', schema: historySchema } },
    serve: ({ context, call, query }) => listHistory(context, call, query),
  }),
]
