/** Declares the routes for replays of all evaluations of an account: start, list, show, cancel. */

import { cancelReplay, type ReplayInput, startReplay } from '../../commands/audit/replays.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import {
  closedObject,
  inputLimits,
  openObject,
  optional,
  type TypeOf,
} from '../../domain/jsonSchema.ts'
import { findReplay, listReplays } from '../../queries/audit/replays/replays.ts'
import { logPositionSchema, replaySchema } from '../../state/audit/replayStreamType.ts'
import { accountAccess } from '../request/access.ts'
import { optionalBody } from '../request/body/bodyReader.ts'
import { buildTimeRangeReader, timeRangeParameters } from '../request/filterParameters.ts'
import { defineRoute, type Route } from '../request/route.ts'

const parseTime = { type: 'string', maxLength: 40 } as const

const replayInputSchema = closedObject('ReplayOfAllInput', {
  flow_id: optional({
    type: 'string',
    maxLength: inputLimits.id,
    description: 'Only evaluations of this flow.',
  }),
  from: optional({ ...parseTime, description: 'ISO 8601 with a zone, included.' }),
  to: optional({ ...parseTime, description: 'ISO 8601 with a zone, excluded.' }),
  after: optional({
    ...logPositionSchema,
    description: 'Only behind this position of the log: `position` of a replay that has not ended.',
  }),
})

const listSchema = openObject('ReplayList', { replays: { type: 'array', items: replaySchema } })

const path = '/v2/watch/audit/replays'
const ids = { replay_id: idPrefixes.replay }
const answers = { 200: { description: 'The replay.', schema: replaySchema } }

const common = { path, tag: 'Audit', access: accountAccess('audit') } as const

/** `/v2/watch/audit/replays`. */
export const replayRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    method: 'POST',
    operationId: 'startReplay',
    summary: 'Compute all recorded evaluations of the account again, and compare: a job',
    body: optionalBody(replayInputSchema),
    answers: { 202: { description: 'It runs.', schema: replaySchema } },
    serve: ({ context, call, body }) => startReplay(context, call, readReplayInput(body)),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'listReplays',
    summary: 'List the last twenty replays of all evaluations, the newest first',
    kind: 'plain',
    answers: { 200: { description: 'The replays.', schema: listSchema } },
    serve: async ({ context, call }) => ({
      value: { replays: await listReplays(context, call) },
    }),
  }),
  defineRoute({
    ...common,
    ids,
    answers,
    path: `${path}/{replay_id}`,
    method: 'GET',
    operationId: 'getReplay',
    summary: 'Retrieve how far a replay is, and what it found',
    kind: 'plain',
    serve: async ({ context, call, ids: { replay_id } }) => ({
      value: await findReplay(context, call, replay_id),
    }),
  }),
  defineRoute({
    ...common,
    ids,
    answers,
    path: `${path}/{replay_id}/cancel`,
    method: 'POST',
    operationId: 'cancelReplay',
    summary: 'End a running replay; one that has ended stays as it is',
    serve: ({ context, call, ids: { replay_id } }) => cancelReplay(context, call, replay_id),
  }),
]

const timesQuery = buildTimeRangeReader(timeRangeParameters)

/** Throws `invalid_request` for what is no flow or no time. */
function readReplayInput({
  flow_id: flowId,
  after,
  ...given
}: TypeOf<typeof replayInputSchema>): ReplayInput {
  const details: FailureDetail[] = []
  const times = timesQuery.read({ ...given }, details)
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
