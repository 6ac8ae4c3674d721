/** Declares the routes for the event history of an account, and for the losses of history. */

import type { OpenedPersons } from '../../domain/shownPersons.ts'
import { dataLossListSchema, listDataLosses } from '../../queries/audit/dataLosses.ts'
import { type HistoryQuery, historySchema, listHistory } from '../../queries/audit/history.ts'
import { accountAccess } from '../request/access.ts'
import {
  buildTimeRangeReader,
  filterParameters,
  timeRangeParameters,
} from '../request/filterParameters.ts'
import {
  limitParameter,
  minPositionParameter,
  numberParameter,
  type QueryReader,
  textParameter,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const nameMax = 64

const query = buildTimeRangeReader({
  type: textParameter('type', 'Only events of this type, such as `RulePublished`.', nameMax),
  streamType: textParameter(
    'stream_type',
    'Only of streams whose name begins with this before the first dash, such as `rulebook`.',
    nameMax,
  ),
  actor: textParameter(
    'actor',
    'Only by this token, key, user or application; or by `operator` or `service`.',
    nameMax,
  ),
  phone: filterParameters.phone_number,
  email: filterParameters.email_address,
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
    const { phone, email, ...filters } = query.read(given, details)
    return {
      ...filters,
      ...(email !== undefined && { person: { kind: 'email', value: email } }),
      ...(phone !== undefined && { person: { kind: 'phone', value: phone } }),
    }
  },
}

/** `GET /v2/watch/audit/events`. */
export const historyRoute: Route = defineRoute({
  method: 'GET',
  path: '/v2/watch/audit/events',
  operationId: 'listEvents',
  summary: 'List the events of the account: who changed what, and when',
  tag: 'Audit',
  access: accountAccess('audit'),
  query: historyQuery,
  answers: { 200: { description: 'The events.', schema: historySchema } },
  serve: async ({ context, call, query }) => {
    const value = await listHistory(context, call, query)
    const isOfPersons = value.events.some(({ subjects }) => subjects)
    return { value, isLong: true, persons: isOfPersons ? nameAsked(query) : [] }
  },
})

function nameAsked({ person }: HistoryQuery): OpenedPersons {
  if (!person) return 'unnamed'
  const kind = person.kind === 'phone' ? 'phone_number' : 'email_address'
  return [{ kind, value: person.value }]
}

/** `GET /v2/watch/losses`. */
export const lossRoute: Route = defineRoute({
  method: 'GET',
  path: '/v2/watch/losses',
  operationId: 'listLosses',
  summary: 'List the losses of history that the owner of the installation accepted',
  tag: 'Audit',
  kind: 'plain',
  access: accountAccess('audit'),
  answers: {
    200: {
      description: 'Every loss, the oldest first; each concerns all accounts. Usually none.',
      schema: dataLossListSchema,
    },
  },
  serve: async ({ context }) => ({
    value: { losses: await listDataLosses(context) },
  }),
})
