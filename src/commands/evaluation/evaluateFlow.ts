/** Scoring: the one write that needs a read. Evidence in, verdict out, recorded before it is answered (spec 4.1). */

import { Failure, invalidRequest } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
import { atOnce, longWork } from '../../domain/longWork.ts'
import type { Signals } from '../../domain/signals.ts'
import type { Target } from '../../domain/target.ts'
import type { AskedList } from '../../engine/compile/compileLookup.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import type { ListAnswer, ListAnswers } from '../../engine/run/listAnswer.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import {
  evaluationStream,
  type FlowEvaluated,
  type WrittenEvaluation,
} from '../../events/evaluation/evaluation.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { LookedUp } from '../../events/recording/lookupDigest.ts'
import type { RulebookState } from '../../events/rulebook/rulebook.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'
import type { Rulebooks } from '../rulebook/rulebookStreams.ts'
import type { FoundDispatch } from '../signals/findDispatch.ts'
import type { ReadyPlan } from './compiledPlans.ts'
import { type EvaluationRequest, flowEvaluated } from './flowEvaluated.ts'
import { gatherEvidence, withAnswers } from './gatherEvidence.ts'
import type { Plans } from './plans.ts'

export interface Evaluation {
  /** The answer (spec 2.4) as JSON text: the bytes that the record's hash is of. */
  readonly body: string
  readonly position: number
}

export interface EvaluationSources {
  readonly store: Pick<EventStore, 'append'>
  readonly encode: (evaluated: WrittenEvaluation, context: EventContext) => NewEvent
  /** What is to be waited for before something is encoded: sealing keys that are being made. */
  readonly keysReady: () => Promise<void> | undefined
  readonly plans: Plans
  /** What an account's dispatch brings at the time of the evaluation. */
  readonly dispatched: (asked: {
    readonly account: string
    readonly dispatchId: string
    readonly timeMs: number
  }) => Promise<FoundDispatch>
  /** Whether the target stands on the account's lists at the time of the evaluation. */
  readonly listed: (asked: {
    readonly account: string
    readonly state: AccountState
    readonly target: Target
    readonly timeMs: number
  }) => ListAnswers | Promise<ListAnswers>
  /** What lists answer that rules ask by name; nothing for a value that cannot stand on its list. */
  readonly asked: (asked: {
    readonly account: string
    readonly rulebook: RulebookState
    readonly lookups: readonly AskedList[]
    readonly timeMs: number
  }) => ReadonlyMap<string, ListAnswer> | Promise<ReadonlyMap<string, ListAnswer>>
  /** The keyed digest by which something of the account is found again. */
  readonly digestOf: (account: string, looked: LookedUp) => string
  /** Told of each evaluation once it is on record. */
  readonly onRecorded?: (
    recorded: FlowEvaluated,
    account: string,
    notCounted: readonly NotCounted[],
  ) => void
}

/** Who evaluates, and what the account has configured. */
export interface EvaluationSetting {
  readonly context: EventContext
  /** Position up to which the log was known before any of this was looked up. */
  readonly asOf: number
  readonly account: AccountState
  readonly rulebooks: Rulebooks
}

/**
 * Evaluates and records. What is in memory is not waited for: the commit is then the only wait. Throws `invalid_request` with the path
 * `flow_id` for an unknown flow (spec 7.1), `conflict` when the evaluation's id is taken, `unavailable` when the verdict could not be
 * recorded.
 */
export async function evaluateFlow(
  sources: EvaluationSources,
  setting: EvaluationSetting,
  request: EvaluationRequest,
): Promise<Evaluation> {
  const { context, asOf, account, rulebooks } = setting
  const { account: of, time: timeMs } = context
  const plan = readyPlan(sources.plans, of, { rulebooks, request })
  const ready = plan instanceof Promise ? await plan : plan
  const dispatch =
    request.dispatch_id === undefined
      ? noDispatch
      : await namedDispatch(sources, context, request.dispatch_id)
  const listed = sources.listed({ account: of, state: account, target: request.target, timeMs })
  const arrived = gatherEvidence(
    {
      target: request.target,
      signals: request.signals ?? {},
      dispatch: dispatch.signals,
      ...(request.notCounted && { notCounted: request.notCounted }),
      lists: listed instanceof Promise ? await listed : listed,
      trustedUserAgreed: account.trustedUser,
      time: timeMs,
    },
    ready.reads,
  )
  const { compiled } = ready
  const lookups = compiled.asks(arrived.evidence)
  const asked = { account: of, rulebook: rulebooks.own, lookups, timeMs }
  const answers = lookups.length === 0 ? noAnswers : sources.asked(asked)
  const gathered = withAnswers(arrived, answers instanceof Promise ? await answers : answers)
  const run =
    atOnce((untilMs) => compiled.runUntil(gathered.evidence, untilMs)) ??
    (await longWork(of, () => compiled.runInSlices(gathered.evidence)))
  const id = derivedId('evl', context.command, 'evaluation')
  const body = compiled.render(id, run)
  const digestOf = (looked: LookedUp): string => sources.digestOf(of, looked)
  const found = { dispatch, gathered, run, body }
  const data = flowEvaluated({ id, context, asOf, request, ready, digestOf }, found)
  const position = await record(sources, context, data)
  sources.onRecorded?.(data, of, gathered.notCounted)
  return { body, position }
}

const noAnswers: ReadonlyMap<string, ListAnswer> = new Map()

interface NamedDispatch {
  readonly state: FlowEvaluated['dispatch']
  readonly subject?: string
  /** What it brought: nothing when it is expired or unknown; undefined when none is named. */
  readonly signals: Signals | undefined
}

const noDispatch: NamedDispatch = { state: 'none', signals: undefined }

async function namedDispatch(
  { dispatched }: Pick<EvaluationSources, 'dispatched'>,
  { account, time: timeMs }: EventContext,
  dispatchId: string,
): Promise<NamedDispatch> {
  return { signals: {}, ...(await dispatched({ account, dispatchId, timeMs })) }
}

function readyPlan(
  plans: Plans,
  account: string,
  asked: { readonly rulebooks: Rulebooks; readonly request: EvaluationRequest },
): ReadyPlan | Promise<ReadyPlan> {
  const found = plans.ready(account, asked.rulebooks, asked.request.flow_id)
  if (found) return found
  throw invalidRequest([{ path: 'flow_id', message: 'There is no flow with this id.' }])
}

async function record(
  sources: EvaluationSources,
  context: EventContext,
  data: WrittenEvaluation,
): Promise<number> {
  const keys = sources.keysReady()
  if (keys) await keys
  const answer = await sources.store.append({
    stream: evaluationStream(data.evaluation_id),
    events: [sources.encode(data, context)],
    expected: 'no_stream',
  })
  if (answer.ok) return answer.position
  throw new Failure('conflict', 'The evaluation is on record already.')
}
