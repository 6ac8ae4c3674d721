/** Declares the routes for the event history of an account, paged by log position. */

import type { Seen } from '../../domain/call.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import { limits, optional, type Schema, timeText } from '../../domain/schema.ts'
import {
  type EventView,
  type History,
  type HistoryInput,
  listHistory,
} from '../../queries/audit/history.ts'
import { type Answer, seen } from '../request/answer.ts'
import { noBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import {
  limitParameter,
  minPositionParameter,
  type QueryReader,
  type QueryTexts,
  readAsking,
  readNumber,
} from '../request/queryReader.ts'
import { accountAccess, type QueryParameter, type Route, type Served } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'
import { readSought, readTimes, soughtParameter } from '../request/soughtQuery.ts'

const positionMax = Number.MAX_SAFE_INTEGER
const nameMax = 64
const timeSchema: Schema = { type: 'string', maxLength: 40 }

const people = { phone_number: 'phone', email_address: 'email' } as const
type PersonName = keyof typeof people
const personNames = Object.keys(people) as readonly PersonName[]

const filterNames = ['type', 'stream_type', 'actor'] as const
const filterMeanings: Readonly<Record<(typeof filterNames)[number], string>> = {
  type: 'Only events of this type, such as `RulePublished`.',
  stream_type:
    'Only of streams whose name begins with this before the first dash, such as `rulebook`.',
  actor: 'Only by this token, key, user or application; or by `operator` or `service`.',
}

const parameters: readonly QueryParameter[] = [
  ...filterNames.map((name) => ({
    name,
    description: filterMeanings[name],
    schema: { type: 'string', minLength: 1, maxLength: nameMax },
  })),
  ...personNames.map(soughtParameter),
  { name: 'from', description: 'ISO 8601 with a zone, included.', schema: timeSchema },
  { name: 'to', description: 'ISO 8601 with a zone, excluded.', schema: timeSchema },
  {
    name: 'after',
    description:
      'The oldest after this position: `next_after` of the previous page. Without it the newest are returned.',
    schema: { type: 'integer', minimum: 0, maximum: positionMax },
  },
  {
    name: 'before',
    description: 'Only before this position: `next_before` of the previous page.',
    schema: { type: 'integer', minimum: 1, maximum: positionMax },
  },
  limitParameter,
  minPositionParameter,
]

const historyQuery: QueryReader<HistoryInput> = {
  parameters,
  read: (given, details) => {
    const { type, stream_type: streamType, actor } = given
    const person = readPerson(given, details)
    const after = readNumber(given, { name: 'after', min: 0, max: positionMax }, details)
    const before = readNumber(given, { name: 'before', min: 1, max: positionMax }, details)
    const limit = readNumber(given, { name: 'limit', min: 1, max: limits.page }, details)
    for (const name of filterNames) assertName(given, name, details)
    return {
      ...readAsking(given, details),
      ...readTimes(given, details),
      ...(type !== undefined && { type }),
      ...(streamType !== undefined && { streamType }),
      ...(actor !== undefined && { actor }),
      ...(person && { person }),
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
      limit: limit ?? limits.pageDefault,
    }
  },
}

function assertName(given: QueryTexts, name: string, details: FailureDetail[]): void {
  const text = given[name]
  if (text === undefined || (text !== '' && text.length <= nameMax)) return
  details.push({ path: name, message: `Must be 1 to ${nameMax} characters.` })
}

function readPerson(given: QueryTexts, details: FailureDetail[]): HistoryInput['person'] {
  const [name, ...more] = personNames.filter((one) => given[one] !== undefined)
  if (more.length > 0) {
    details.push({ path: more[0] ?? '', message: `Must not stand together with ${name}.` })
  }
  const value = name && readSought(given, name, details)
  return value === undefined || name === undefined ? undefined : { kind: people[name], value }
}

const position: Schema = { type: 'string', pattern: '^[0-9]+$' }

const event: Schema = viewSchema<EventView>('HistoryEvent', {
  position: { ...position, description: 'In the log.' },
  id: { type: 'string', description: 'UUID.' },
  type: { type: 'string' },
  stream: { type: 'string' },
  revision: { type: 'integer', description: 'Revision in the stream, from 0.' },
  recorded_at: timeText,
  actor: {
    type: 'string',
    description:
      'Id of the token, the key, the user or the application; or `operator` or `service`.',
  },
  request_id: optional({
    type: 'string',
    description: 'Absent for events that no request caused.',
  }),
  command_id: { type: 'string', description: 'UUID.' },
  causation: optional({
    type: 'string',
    description: 'The event or evaluation that caused it.',
  }),
  summary: { type: 'string', description: 'The change in a sentence, without personal data.' },
  content: {
    type: 'object',
    description:
      'The data of the event, without hashes of secrets. Personal data is `{"sealed": true}` for a token without the scope `analyse`, and `{"forgotten": true}` once it is erased.',
  },
})

const historySchema: Schema = viewSchema<HistoryView>('History', {
  events: { type: 'array', items: event, description: 'In log order.' },
  next_after: {
    ...position,
    description: 'Position for the next page, also when nothing was found.',
  },
  next_before: optional({
    ...position,
    description: 'For the newest: the position before which older ones are.',
  }),
})

/** `GET /v2/watch/audit/events`. */
export function historyRoutes({ context, authenticate }: Served): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v2/watch/audit/events',
      operationId: 'listEvents',
      summary: 'List the events of the account: who changed what, and when',
      tag: 'Audit',
      kind: 'read',
      access: accountAccess(authenticate, 'audit'),
      ids: {},
      query: historyQuery,
      body: noBody,
      answers: { 200: { description: 'The events.', schema: historySchema } },
      failures: ['invalid_request'],
      serve: async ({ call, query }) => answerOf(await listHistory(context, call, query)),
    }),
  ]
}

interface HistoryView extends Pick<History, 'events'> {
  readonly next_after: string
  readonly next_before?: string
}

function answerOf({
  value: { events, nextAfter, nextBefore },
  position: at,
}: Seen<History>): Answer {
  const older = nextBefore === undefined ? {} : { next_before: nextBefore }
  const value: HistoryView = { events, next_after: nextAfter, ...older }
  return seen({ value, position: at })
}
