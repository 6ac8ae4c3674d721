/** Declares the routes for replays of all evaluations of an account: start, list, show, cancel. */

import {
  cancelReplay,
  type ReplayInput,
  type ReplayMismatchView,
  type ReplayView,
  replayStates,
  startReplay,
} from '../../commands/audit/replays.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { count, limits, optional, type Schema, timeText } from '../../domain/schema.ts'
import { findReplay, listReplays } from '../../queries/audit/replays/replays.ts'
import { written } from '../request/answer.ts'
import { noBody, optionalBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { inputSchema, viewSchema } from '../request/schema/fields.ts'
import { readTimes } from '../request/soughtQuery.ts'

/** A body as its schema lets it through. */
interface GivenReplay {
  readonly flow_id?: string
  readonly from?: string
  readonly to?: string
  readonly after?: string
}

const givenTime: Schema = { type: 'string', maxLength: 40 }
const position: Schema = { type: 'string', pattern: '^[0-9]{1,15}$' }

const replayInputSchema: Schema = inputSchema<GivenReplay>('ReplayOfAllInput', {
  flow_id: optional({
    type: 'string',
    maxLength: limits.id,
    description: 'Only evaluations of this flow.',
  }),
  from: optional({ ...givenTime, description: 'ISO 8601 with a zone, included.' }),
  to: optional({ ...givenTime, description: 'ISO 8601 with a zone, excluded.' }),
  after: optional({
    ...position,
    description: 'Only behind this position of the log: `position` of a replay that has not ended.',
  }),
})

const mismatch: Schema = viewSchema<ReplayMismatchView>('ReplayMismatch', {
  evaluation_id: { type: 'string' },
  position,
  reason: { type: 'string', description: 'What differs, or why it cannot be computed again.' },
})

const replaySchema: Schema = viewSchema<ReplayView>('ReplayOfAll', {
  id: { type: 'string' },
  state: {
    type: 'string',
    enum: replayStates,
    description:
      '`INTERRUPTED`: its process ended, or nothing was heard of it for a minute. `FAILED`: the log, the keys or the read models could not be read.',
  },
  started_at: timeText,
  reported_at: {
    ...timeText,
    description: 'Of these counts; a running one reports every five seconds.',
  },
  flow_id: optional({ type: 'string' }),
  from: optional(timeText),
  to: optional(timeText),
  after: { ...position, description: 'It began behind this position of the log.' },
  end: { ...position, description: 'Where the log ended when it began.' },
  position: {
    ...position,
    description: 'Everything up to here has been replayed: `after` of a replay that goes on.',
  },
  match: { ...count, description: 'The same to the byte.' },
  mismatch: count,
  evidence_erased: { ...count, description: 'Nobody can compute them any more.' },
  mismatches: { type: 'array', items: mismatch, description: 'The first hundred.' },
  evaluations_per_second: count,
  seconds_left: optional({ ...count, description: 'By its pace until now.' }),
})

const listSchema: Schema = viewSchema<{ readonly replays: readonly ReplayView[] }>('ReplayList', {
  replays: { type: 'array', items: replaySchema },
})

const path = '/v2/watch/audit/replays'
const ids = { replay_id: idPrefixes.replay }
const answers = { 200: { description: 'The replay.', schema: replaySchema } }

/** `/v2/watch/audit/replays`. */
export function replayRoutes(served: Served): readonly Route[] {
  return [startRoute(served), listRoute(served), getRoute(served), cancelRoute(served)]
}

function common({ authenticate }: Served) {
  return {
    tag: 'Audit',
    access: accountAccess(authenticate, 'audit'),
    query: noQuery,
    failures: [],
  } as const
}

function startRoute(served: Served): Route {
  return defineRoute({
    ...{ ...common(served), path, ids: {} },
    method: 'POST',
    operationId: 'startReplay',
    summary: 'Compute all recorded evaluations of the account again, and compare: a job',
    kind: 'write',
    body: optionalBody<GivenReplay>(replayInputSchema),
    answers: { 202: { description: 'It runs.', schema: replaySchema } },
    failures: ['conflict'],
    serve: async ({ call, body }) =>
      written(202, await startReplay(served.context, call, inputOf(body))),
  })
}

function listRoute(served: Served): Route {
  return defineRoute({
    ...{ ...common(served), path, ids: {} },
    method: 'GET',
    operationId: 'listReplays',
    summary: 'List the last twenty replays of all evaluations, the newest first',
    kind: 'plain',
    body: noBody,
    answers: { 200: { description: 'The replays.', schema: listSchema } },
    serve: async ({ call }) => ({
      status: 200,
      body: { replays: await listReplays(served.context, call) },
    }),
  })
}

function getRoute(served: Served): Route {
  return defineRoute({
    ...{ ...common(served), ids, answers, path: `${path}/{replay_id}` },
    method: 'GET',
    operationId: 'getReplay',
    summary: 'Retrieve how far a replay is, and what it found',
    kind: 'plain',
    body: noBody,
    serve: async ({ call, ids: { replay_id } }) => ({
      status: 200,
      body: await findReplay(served.context, call, replay_id),
    }),
  })
}

function cancelRoute(served: Served): Route {
  return defineRoute({
    ...{ ...common(served), ids, answers, path: `${path}/{replay_id}/cancel` },
    method: 'POST',
    operationId: 'cancelReplay',
    summary: 'End a running replay; one that has ended stays as it is',
    kind: 'write',
    body: noBody,
    failures: ['conflict'],
    serve: async ({ call, ids: { replay_id } }) =>
      written(200, await cancelReplay(served.context, call, replay_id)),
  })
}

/** Throws `invalid_request` for what is no flow or no time. */
function inputOf({ flow_id: flowId, after, ...given }: GivenReplay): ReplayInput {
  const details: FailureDetail[] = []
  const times = readTimes({ ...given }, details)
  if (flowId !== undefined && !isId(idPrefixes.flow, flowId)) {
    details.push({ path: 'flow_id', message: 'Must be the id of a flow.' })
  }
  if (details.length > 0) throw invalidRequest(details)
  return {
    ...times,
    ...(flowId !== undefined && { flowId }),
    ...(after !== undefined && { after: Number(after) }),
  }
}
