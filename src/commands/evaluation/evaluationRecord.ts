/** The record of an evaluation as the log has it: its event, which names the plan that ran. */

import { evaluationStream, type FlowEvaluated } from '../../events/evaluation/evaluation.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { PlanReader } from './recordedPlan.ts'

export interface EvaluationRecord {
  readonly account: string
  /** Personal fields still sealed. */
  readonly decoded: DecodedEvent<{ readonly type: 'FlowEvaluated'; readonly data: FlowEvaluated }>
}

/** The record of the evaluation; undefined when there is none. */
export async function readEvaluation(
  reader: PlanReader,
  id: string,
): Promise<EvaluationRecord | undefined> {
  const [recorded] = await reader.store.readStream(evaluationStream(id), { from: 0, limit: 1 })
  if (!recorded) return undefined
  const decoded = reader.decode(recorded) as EvaluationRecord['decoded']
  return { account: decoded.metadata.account, decoded }
}
