/** Predicts whether an end user is legitimate; sets and clears an account's prediction flow. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest, notFound } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, openObject, type TypeOf } from '../../domain/jsonSchema.ts'
import type { Verdict } from '../../engine/run/result.ts'
import {
  type AccountEvent,
  type AccountState,
  accountStream,
} from '../../events/accounts/account.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'
import type { EvaluationRequest } from '../../state/evaluation/gatherEvidence.ts'
import type { RulebookStreams } from '../../state/rulebook/rulebookStreams.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'
import { type EvaluationContext, evaluateAndRecord, readRulebookWithFlow } from './evaluateFlow.ts'

/** The request of a prediction: the flow is the account's. */
export type PredictionRequest = Omit<EvaluationRequest, 'flow_id'>

/** What a flow predicts of an end user: `suspicious` is its `FLAG`, `legitimate` its `PASS`. */
export const predictionSchema = openObject('Prediction', {
  id: { type: 'string', description: 'Id of the recorded evaluation.' },
  prediction: { type: 'string', enum: ['legitimate', 'suspicious'] },
  request_id: { type: 'string', description: 'Id of the request that recorded it.' },
})
type PredictionView = TypeOf<typeof predictionSchema>

const flowFields = {
  flow_id: {
    type: 'string',
    pattern: `^${idPrefixes.flow}_[0-7][0-9a-z]{25}$`,
    description: 'The flow that answers predictions.',
  },
} as const

export const predictionFlowInputSchema = closedObject('PredictionFlowInput', flowFields)
export const predictionFlowSchema = openObject('PredictionFlow', flowFields)
export type PredictionFlow = TypeOf<typeof predictionFlowSchema>

const predictions: Readonly<Record<Verdict, PredictionView['prediction']>> = {
  PASS: 'legitimate',
  FLAG: 'suspicious',
}

/**
 * Evaluates the flow that the account has set. Throws `invalid_request` when none is set, or the one that was set is
 * deleted, and what evaluating throws.
 */
export async function predict(
  context: EvaluationContext,
  call: Call,
  input: PredictionRequest,
): Promise<WriteResult<PredictionView>> {
  const account = call.principal.accountId
  const intention = { account, operation: 'predict', input, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  const ask = ({ predictionFlow: flow_id }: AccountState) => {
    if (flow_id === undefined) throw newNotSetFailure('The account has set no flow for predictions')
    return { ...input, flow_id, prediction: true as const }
  }
  const { body, position, request } = await evaluateAndRecord(context, eventContext, ask).catch(
    throwAsNotSet,
  )
  // the answer of an evaluation, which this service has just written
  const { id, verdict } = JSON.parse(body) as { readonly id: string; readonly verdict: Verdict }
  const value = { id, prediction: predictions[verdict], request_id: request }
  return { value, position, visible: true }
}

/** The flow was deleted after it had been set. */
function throwAsNotSet(error: unknown): never {
  const isUnknownFlow =
    error instanceof Failure &&
    error.code === 'invalid_request' &&
    error.details?.some(({ path }) => path === 'flow_id')
  throw isUnknownFlow
    ? newNotSetFailure('The flow that the account has set for predictions is deleted')
    : error
}

function newNotSetFailure(why: string): Failure {
  return new Failure(
    'invalid_request',
    `${why}; an author sets one: PUT /v2/watch/management/predict.`,
    { param: 'request' },
  )
}

type SettingContext = WriteContext & AccountStreams & Pick<RulebookStreams, 'rulebooks'>

/** Throws `access_not_enabled`, `invalid_request` when the account has no such flow. */
export async function setPredictionFlow(
  context: SettingContext,
  call: Call,
  { flow_id }: PredictionFlow,
): Promise<WriteResult<PredictionFlow>> {
  await requireAuthoring(context, call)
  const { state } = await readRulebookWithFlow(context, call.principal.accountId, flow_id)
  if (!state.flows.get(flow_id)?.current) {
    throw invalidRequest([{ path: 'flow_id', message: 'There is no flow with this id.' }])
  }
  return { ...(await changeFlow(context, call, flow_id)), value: { flow_id } }
}

/** Repeating it is no error. Throws `access_not_enabled`. */
export async function clearPredictionFlow(
  context: SettingContext,
  call: Call,
): Promise<WriteResult<void>> {
  await requireAuthoring(context, call)
  return { ...(await changeFlow(context, call, undefined)), value: undefined }
}

/** Undefined says that none answers. No event when it is so already. */
function changeFlow(context: SettingContext, call: Call, flowId: string | undefined) {
  const account = call.principal.accountId
  const input = flowId ?? null
  return executeAndWait(context, context.accounts, {
    stream: accountStream(account),
    context: buildEventContext(context, call, { account, operation: 'prediction_flow.set', input }),
    decide: ({ opened, predictionFlow }): readonly AccountEvent[] => {
      if (!opened) throw notFound()
      if (predictionFlow === flowId) return []
      if (flowId === undefined) return [{ type: 'PredictionFlowCleared', data: {} }]
      return [{ type: 'PredictionFlowSet', data: { flow_id: flowId } }]
    },
  })
}
