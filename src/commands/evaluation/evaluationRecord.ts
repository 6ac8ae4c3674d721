/** The record of an evaluation as the log has it: its event and the plan that ran. */

import type { Plan } from '../../engine/run/plan.ts'
import type { EvaluationEvent, FlowEvaluated } from '../../events/evaluation/evaluation.ts'
import { planOf, planStream } from '../../events/evaluation/planRecord.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'

/** Events in the stream of one plan: far more than the largest plan makes. */
const planEventsMax = 1_000

export interface EvaluationRecord {
  readonly account: string
  /** Personal fields still sealed. */
  readonly decoded: DecodedEvent<{ readonly type: 'FlowEvaluated'; readonly data: FlowEvaluated }>
  readonly plan: Plan
}

export interface RecordReader {
  readonly store: Pick<EventStore, 'readStream'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
}

/** The stream of an evaluation. */
export function evaluationStream(id: string): string {
  return `evaluation-${id}`
}

/** The record of the evaluation; undefined when there is none. Throws when its plan is not complete. */
export async function readEvaluation(
  reader: RecordReader,
  id: string,
): Promise<EvaluationRecord | undefined> {
  const [recorded] = await reader.store.readStream(evaluationStream(id), { from: 0, limit: 1 })
  if (!recorded) return undefined
  const decoded = reader.decode(recorded) as EvaluationRecord['decoded']
  const plan = await readPlan(reader, decoded.event.data.plan)
  return { account: decoded.metadata.account, decoded, plan }
}

async function readPlan(reader: RecordReader, digest: string): Promise<Plan> {
  const page = { from: 0, limit: planEventsMax }
  const recorded = await reader.store.readStream(planStream(digest), page)
  return planOf(recorded.map((event) => reader.decode(event).event as EvaluationEvent))
}
