/** Makes the event of an evaluation. */

import { hash } from 'node:crypto'
import type { Mutable } from '../../domain/mutable.ts'
import type { Signals } from '../../domain/signals.ts'
import type { Target } from '../../domain/target.ts'
import type { CompiledPlan } from '../../engine/compile/compilePlan.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import type {
  FlowEvaluated,
  RecordedNotCounted,
  WrittenEvaluation,
} from '../../events/evaluation/evaluation.ts'
import { recordEvidence } from '../../events/evaluation/evidenceRecord.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { type LookedUp, lookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { Gathered } from './gatherEvidence.ts'
import type { ReadyPlan } from './plans.ts'

/** What is asked of an evaluation; canonical, checked. */
export interface EvaluationRequest {
  readonly flow_id: string
  readonly target: Target
  readonly signals?: Signals
  readonly dispatch_id?: string
  /** What was sent and can be no evidence, whatever else arrives. */
  readonly notCounted?: readonly NotCounted[]
  /** What the caller knows a prediction by. */
  readonly correlation_id?: string
}

/** What was asked, of which plan. */
interface Asked {
  readonly id: string
  readonly context: EventContext
  /** Position up to which the log was known before the evidence was gathered. */
  readonly asOf: number
  readonly request: EvaluationRequest
  readonly ready: ReadyPlan
  readonly keyring: Pick<Keyring, 'digest'>
}

/** What arrived, what ran, and what came out. */
interface Found {
  readonly dispatch: { readonly state: FlowEvaluated['dispatch']; readonly subject?: string }
  readonly gathered: Gathered
  readonly run: ReturnType<CompiledPlan['run']>
  /** The answer as JSON text. */
  readonly body: string
}

/** The data of `FlowEvaluated`. */
export function flowEvaluated(asked: Asked, found: Found): WrittenEvaluation {
  const { id, context, asOf, request, ready } = asked
  const { dispatch, gathered, run, body } = found
  const { phone_number, email_address } = request.target
  const data: Mutable<WrittenEvaluation> = {
    evaluation_id: id,
    flow_id: request.flow_id,
    flow_version_id: ready.plan.flow_version_id,
    plan: ready.digest,
    semantics: ready.plan.semantics,
    dispatch: dispatch.state,
    evidence: evidenceOf(asked, gathered),
    time: context.time,
    as_of: asOf,
    verdict: run.verdict,
    recipes: ready.compiled.record(run),
    result_hash: hash('sha256', body, 'hex'),
  }
  if (phone_number !== undefined) data.phone_number = phone_number
  if (email_address !== undefined) data.email_address = email_address
  if (dispatch.subject !== undefined) data.dispatch_subject = dispatch.subject
  if (context.digest !== undefined) data.request_digest = context.digest
  addDigests(data, asked, gathered)
  return data
}

function evidenceOf({ request, ready }: Asked, gathered: Gathered): WrittenEvaluation['evidence'] {
  const { dispatch_id, correlation_id } = request
  const not_counted = recordedNotCounted(gathered)
  const evidence: Mutable<WrittenEvaluation['evidence']> = Object.assign(
    recordEvidence(gathered.evidence, ready.names),
    { not_counted },
  )
  if (dispatch_id !== undefined) evidence.dispatch_id = dispatch_id
  if (correlation_id !== undefined) evidence.correlation_id = correlation_id
  return evidence
}

/** Of what the evaluation is found by, beside its target. */
function addDigests(
  data: Mutable<WrittenEvaluation>,
  { request, context: { account }, keyring }: Asked,
  gathered: Gathered,
): void {
  const ip = sentAs('signal.ip', gathered)
  const device = sentAs('signal.device_id', gathered)
  const correlation = request.correlation_id
  const digestOf = (looked: LookedUp) => lookupDigest(keyring, account, looked)
  if (ip !== undefined) data.ip = digestOf({ kind: 'ip', value: ip })
  if (device !== undefined) data.device = digestOf({ kind: 'device_id', value: device })
  if (correlation !== undefined) {
    data.correlation = digestOf({ kind: 'correlation_id', value: correlation })
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
