/** The fact of an evaluation, as it goes on record. */

import { hash } from 'node:crypto'
import type { Signals } from '../../domain/signals.ts'
import type { Target } from '../../domain/target.ts'
import type { CompiledPlan } from '../../engine/compile/compilePlan.ts'
import type {
  FlowEvaluated,
  RecordedNotCounted,
  WrittenEvaluation,
} from '../../events/evaluation/evaluation.ts'
import { recordEvidence } from '../../events/evaluation/evidenceRecord.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { LookedUp } from '../../events/recording/lookupDigest.ts'
import type { ReadyPlan } from './compiledPlans.ts'
import type { Gathered } from './gatherEvidence.ts'

/** What is asked of an evaluation; canonical, checked. */
export interface EvaluationRequest {
  readonly flow_id: string
  readonly target: Target
  readonly signals?: Signals
  readonly dispatch_id?: string
  /** What the caller knows a prediction by. */
  readonly correlation_id?: string
}

/** What was asked, what arrived, what ran, and what came out. */
interface Made {
  readonly id: string
  readonly context: EventContext
  /** Position up to which the log was known before the evidence was gathered. */
  readonly asOf: number
  readonly request: EvaluationRequest
  readonly ready: ReadyPlan
  readonly dispatch: FlowEvaluated['dispatch']
  readonly gathered: Gathered
  /** The keyed digest by which something is found again. */
  readonly digestOf: (looked: LookedUp) => string
  readonly run: ReturnType<CompiledPlan['run']>
  /** The answer as JSON text. */
  readonly body: string
}

/** The data of `FlowEvaluated`. */
export function flowEvaluated(made: Made): WrittenEvaluation {
  const { id, context, asOf, request, ready, dispatch, gathered, run, body } = made
  const { flow_id, target, dispatch_id, correlation_id } = request
  return {
    evaluation_id: id,
    flow_id,
    flow_version_id: ready.plan.flow_version_id,
    plan: ready.digest,
    semantics: ready.plan.semantics,
    dispatch,
    ...target,
    evidence: {
      ...(dispatch_id !== undefined && { dispatch_id }),
      ...(correlation_id !== undefined && { correlation_id }),
      ...recordEvidence(gathered.evidence, ready.names),
      not_counted: recordedNotCounted(gathered),
    },
    ...digests(made),
    time: context.time,
    as_of: asOf,
    verdict: run.verdict,
    recipes: ready.compiled.record(run),
    result_hash: hash('sha256', body, 'hex'),
    ...(context.digest !== undefined && { request_digest: context.digest }),
  }
}

type Digests = Pick<FlowEvaluated, 'ip' | 'device' | 'correlation'>

/** Of what the evaluation is found by, beside its target. */
function digests({ gathered, request, digestOf }: Made): Digests {
  const ip = sentAs('signal.ip', gathered)
  const device = sentAs('signal.device_id', gathered)
  const correlation = request.correlation_id
  return {
    ...(ip !== undefined && { ip: digestOf({ kind: 'ip', value: ip }) }),
    ...(device !== undefined && { device: digestOf({ kind: 'device_id', value: device }) }),
    ...(correlation !== undefined && {
      correlation: digestOf({ kind: 'correlation_id', value: correlation }),
    }),
  }
}

/** The value that counted, else the one that the request sent. */
function sentAs(name: string, { evidence, notCounted }: Gathered): string | undefined {
  const counted = evidence.get(name)?.value
  const sent = counted ?? notCounted.find((signal) => signal.name === name)?.value
  return typeof sent === 'string' ? sent : undefined
}

function recordedNotCounted({ notCounted }: Gathered): readonly RecordedNotCounted[] {
  return notCounted.map(({ name, value, source, reason }) => [name, value, source, reason])
}
