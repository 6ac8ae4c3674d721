/** Opens the evaluation's part of the service. */

import { getHeapStatistics } from 'node:v8'
import { setPredictionFlow } from '../../commands/accounts/accounts.ts'
import { assertAuthoring } from '../../commands/accounts/assertAccess.ts'
import { openCompiledPlans } from '../../commands/evaluation/compiledPlans.ts'
import type { EvaluationSources } from '../../commands/evaluation/evaluateFlow.ts'
import type { Call } from '../../domain/call.ts'
import { Failure, invalidRequest, notFound } from '../../domain/failure.ts'
import type { Verdict } from '../../engine/run/result.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import {
  accountStream,
  eventContextOf,
  type ServiceContext,
  write,
} from '../opening/serviceContext.ts'
import type { EvaluationPart, PredictionView } from './evaluationPart.ts'
import { type Evaluate, openEvaluateFlow, openEvaluating, rulebookWith } from './evaluations.ts'
import { openFindEvaluation } from './findEvaluation.ts'
import { openReplayEvaluation } from './replayEvaluation.ts'
import { openTestFlow, openTestRule } from './tryOut.ts'

const verdicts = { PASS: 'legitimate', FLAG: 'suspicious' } as const satisfies Record<
  Verdict,
  PredictionView['prediction']
>

/** Of the memory that the process may use, what compiled plans may hold. */
const compiledShare = 1 / 4

/** `onRecorded` is told of every verdict. */
export function openEvaluationPart(
  context: ServiceContext,
  onRecorded: NonNullable<EvaluationSources['onRecorded']>,
): EvaluationPart {
  const compiledPlans = openCompiledPlans(getHeapStatistics().heap_size_limit * compiledShare)
  const evaluate = openEvaluating(context, compiledPlans, onRecorded)
  return {
    evaluateFlow: openEvaluateFlow(context, evaluate),
    predict: openPredict(context, evaluate),
    predictionFlow: openPredictionFlow(context),
    findEvaluation: openFindEvaluation(context, compiledPlans),
    replayEvaluation: openReplayEvaluation(context, compiledPlans),
    testRule: openTestRule(context),
    testFlow: openTestFlow(context, compiledPlans),
  }
}

/** Predicts. */
function openPredict(context: ServiceContext, evaluate: Evaluate): EvaluationPart['predict'] {
  return async (call, input) => {
    const account = call.principal.accountId
    const intention = { account, operation: 'predict', input, ownStream: true }
    const eventContext = eventContextOf(context, call, intention)
    const { body, position, request } = await evaluate(eventContext, (state) => ({
      ...input,
      flow_id: flowOf(state),
    })).catch(asNotSet)
    return { value: predictionOf(body, request), position, visible: true }
  }
}

function predictionOf(body: string, request: string): PredictionView {
  // the answer of an evaluation, which this service has just written
  const { id, verdict } = JSON.parse(body) as { readonly id: string; readonly verdict: Verdict }
  return { id, prediction: verdicts[verdict], request_id: request }
}

function flowOf({ predictionFlow }: AccountState): string {
  if (predictionFlow !== undefined) return predictionFlow
  throw notSet('The account has set no flow for predictions')
}

/** The flow was deleted after it had been set. */
function asNotSet(error: unknown): never {
  const isUnknownFlow =
    error instanceof Failure &&
    error.code === 'invalid_request' &&
    error.details?.some(({ path }) => path === 'flow_id')
  throw isUnknownFlow
    ? notSet('The flow that the account has set for predictions is deleted')
    : error
}

function notSet(why: string): Failure {
  return new Failure(
    'invalid_request',
    `${why}; an author sets one: PUT /v2/watch/management/predict.`,
    { param: 'request' },
  )
}

/** The setting. */
function openPredictionFlow(context: ServiceContext): EvaluationPart['predictionFlow'] {
  const set = async (call: Call, flowId: string | undefined) => {
    const account = call.principal.accountId
    return write(context, context.accounts, {
      stream: accountStream(account),
      context: eventContextOf(context, call, {
        account,
        operation: 'prediction_flow.set',
        input: flowId ?? null,
      }),
      decide: setPredictionFlow(flowId),
    })
  }
  return {
    get: async (call) => {
      await assertAuthoring(context, call)
      const { state } = await context.accounts.catchUp(accountStream(call.principal.accountId))
      if (state.predictionFlow === undefined) throw notFound()
      return { flow_id: state.predictionFlow }
    },
    set: async (call, { flow_id }) => {
      await assertAuthoring(context, call)
      const { state } = await rulebookWith(context, call.principal.accountId, flow_id)
      if (!state.flows.get(flow_id)?.current) {
        throw invalidRequest([{ path: 'flow_id', message: 'There is no flow with this id.' }])
      }
      return { ...(await set(call, flow_id)), value: { flow_id } }
    },
    clear: async (call) => {
      await assertAuthoring(context, call)
      return { ...(await set(call, undefined)), value: undefined }
    },
  }
}
