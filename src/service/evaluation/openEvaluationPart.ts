/** Opens the evaluation's part of the service. */

import type { EvaluationSources } from '../../commands/evaluation/evaluateFlow.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { EvaluationPart } from './evaluationPart.ts'
import { openEvaluation } from './evaluations.ts'
import { openFindEvaluation } from './findEvaluation.ts'
import { openReplayEvaluation } from './replayEvaluation.ts'
import { openTestFlow, openTestRule } from './tryOut.ts'

/** `onRecorded` is told of every verdict. */
export function openEvaluationPart(
  context: ServiceContext,
  onRecorded: NonNullable<EvaluationSources['onRecorded']>,
): EvaluationPart {
  return {
    evaluateFlow: openEvaluation(context, onRecorded),
    findEvaluation: openFindEvaluation(context),
    replayEvaluation: openReplayEvaluation(context),
    testRule: openTestRule(context),
    testFlow: openTestFlow(context),
  }
}
