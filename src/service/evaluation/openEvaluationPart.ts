/** Opens the evaluation's part of the service. */

import { getHeapStatistics } from 'node:v8'
import { openCompiledPlans } from '../../commands/evaluation/compiledPlans.ts'
import type { EvaluationSources } from '../../commands/evaluation/evaluateFlow.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { EvaluationPart } from './evaluationPart.ts'
import { openEvaluateFlow, openEvaluating } from './evaluations.ts'
import { openFindEvaluation } from './findEvaluation.ts'
import { openPredict, openPredictionFlow } from './predict.ts'
import { openReplayEvaluation } from './replayEvaluation.ts'
import { openTestFlow, openTestRule } from './tryOut.ts'

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
