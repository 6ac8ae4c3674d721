/** Scoring: the one write that needs a read. Evidence in, verdict out, recorded before it is answered (spec 4.1). */

import { hash } from 'node:crypto'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
import type { Signals } from '../../domain/signals.ts'
import type { Target } from '../../domain/target.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import type {
  EvaluationEvent,
  FlowEvaluated,
  RecordedItem,
  RecordedNotCounted,
} from '../../events/evaluation/evaluation.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'
import { appendSurely } from '../handling/handle.ts'
import type { Rulebooks } from '../rulebook/rulebooks.ts'
import { evaluationStream } from './evaluationRecord.ts'
import { type Gathered, gatherEvidence } from './gatherEvidence.ts'
import type { Plans, ReadyPlan } from './plans.ts'

export interface EvaluationRequest {
  readonly flow_id: string
  readonly target: Target
  readonly signals?: Signals
  readonly dispatch_id?: string
}

export interface Evaluation {
  /** The answer (spec 2.4) as JSON text: the bytes that the record's hash is of. */
  readonly body: string
  readonly position: number
}

export interface EvaluationSources {
  readonly store: Pick<EventStore, 'append'>
  readonly encode: (
    events: readonly EvaluationEvent[],
    context: EventContext,
  ) => readonly NewEvent[]
  readonly plans: Plans
  /** The signals of an account's dispatch; undefined when it is unknown. */
  readonly dispatched: (account: string, dispatchId: string) => Promise<Signals | undefined>
  /** Whether the target stands on the account's lists. */
  readonly listed: (account: string, target: Target) => { allow: boolean; block: boolean }
  /** Told of each evaluation once it is on record. */
  readonly onRecorded?: (recorded: FlowEvaluated) => void
}

/** Who evaluates, and what the account has configured. */
export interface EvaluationSetting {
  readonly context: EventContext
  readonly account: AccountState
  readonly rulebooks: Rulebooks
}

/**
 * Evaluates and records. Throws `invalid_request` with the path `flow_id` for an unknown flow (spec 7.1), `conflict` when the
 * evaluation's id is taken, `unavailable` when the verdict could not be recorded.
 */
export async function evaluateFlow(
  sources: EvaluationSources,
  setting: EvaluationSetting,
  request: EvaluationRequest,
): Promise<Evaluation> {
  const { context, account, rulebooks } = setting
  const ready = await readyPlan(sources.plans, context.account, { rulebooks, request })
  const dispatch =
    request.dispatch_id === undefined
      ? undefined
      : await sources.dispatched(context.account, request.dispatch_id)
  const gathered = gatherEvidence(
    {
      target: request.target,
      signals: request.signals ?? {},
      dispatch: request.dispatch_id === undefined ? undefined : (dispatch ?? {}),
      lists: sources.listed(context.account, request.target),
      trustedUserAgreed: account.trustedUser,
      time: context.time,
    },
    ready.reads,
  )
  const run = ready.compiled.run(gathered.evidence)
  const id = derivedId('evl', context.command, 'evaluation')
  const body = ready.compiled.render(id, run)
  const data: FlowEvaluated = {
    evaluation_id: id,
    flow_id: request.flow_id,
    flow_version_id: ready.plan.flow_version_id,
    plan: ready.digest,
    semantics: ready.plan.semantics,
    dispatch: request.dispatch_id === undefined ? 'none' : dispatch ? 'found' : 'unknown',
    ...request.target,
    evidence: {
      ...(request.dispatch_id !== undefined && { dispatch_id: request.dispatch_id }),
      items: recordedItems(gathered),
      not_counted: recordedNotCounted(gathered),
    },
    time: context.time,
    verdict: run.verdict,
    recipes: ready.compiled.record(run),
    result_hash: hash('sha256', body, 'hex'),
    ...(context.digest !== undefined && { request_digest: context.digest }),
  }
  const position = await record(sources, context, data)
  sources.onRecorded?.(data)
  return { body, position }
}

async function readyPlan(
  plans: Plans,
  account: string,
  asked: { readonly rulebooks: Rulebooks; readonly request: EvaluationRequest },
): Promise<ReadyPlan> {
  const found = plans.ready(account, asked.rulebooks, asked.request.flow_id)
  if (found) return found
  throw invalidRequest([{ path: 'flow_id', message: 'There is no flow with this id.' }])
}

async function record(
  sources: EvaluationSources,
  context: EventContext,
  data: FlowEvaluated,
): Promise<number> {
  const answer = await appendSurely(sources.store, {
    stream: evaluationStream(data.evaluation_id),
    events: sources.encode([{ type: 'FlowEvaluated', data }], context),
    expected: 'no_stream',
  })
  if (answer.ok) return answer.position
  throw new Failure('conflict', 'The evaluation is on record already.')
}

/** Names whose values stand elsewhere in the record: the target under keys of its own, the clock as the evaluation's time. */
const recordedApart = new Set(['target.phone_number', 'target.email_address', 'request.time'])

function recordedItems({ evidence }: Gathered): readonly RecordedItem[] {
  const items: RecordedItem[] = []
  for (const [name, { value, source }] of evidence) {
    if (!recordedApart.has(name)) items.push([name, value, source])
  }
  return items
}

function recordedNotCounted({ notCounted }: Gathered): readonly RecordedNotCounted[] {
  return notCounted.map(({ name, value, source, reason }) => [name, value, source, reason])
}
