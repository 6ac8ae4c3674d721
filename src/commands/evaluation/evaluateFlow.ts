/** Scoring: the one write that needs a read. Evidence in, verdict out, recorded before it is answered (spec 4.1). */

import type { Computing } from '../../domain/computing.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
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
import type { Rulebooks } from '../rulebook/rulebooks.ts'
import type { ReadyPlan } from './compiledPlans.ts'
import { type EvaluationRequest, flowEvaluated } from './flowEvaluated.ts'
import { type Gathered, gatherEvidence, withAnswers } from './gatherEvidence.ts'
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
  }) => Promise<ReadonlyMap<string, ListAnswer>>
  /** The keyed digest by which something of the account is found again. */
  readonly digestOf: (account: string, looked: LookedUp) => string
  /** Runs the rules when the account's turn on this thread has come, a few at a time. */
  readonly computing: Computing
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
 * Evaluates and records. Throws `invalid_request` with the path `flow_id` for an unknown flow (spec 7.1), `conflict` when the
 * evaluation's id is taken, `unavailable` when the verdict could not be recorded.
 */
export async function evaluateFlow(
  sources: EvaluationSources,
  setting: EvaluationSetting,
  request: EvaluationRequest,
): Promise<Evaluation> {
  const { context, asOf, account, rulebooks } = setting
  const ready = await readyPlan(sources.plans, context.account, { rulebooks, request })
  const dispatch =
    request.dispatch_id === undefined
      ? noDispatch
      : await namedDispatch(sources, context, request.dispatch_id)
  const arrived = gatherEvidence(
    {
      target: request.target,
      signals: request.signals ?? {},
      dispatch: dispatch.signals,
      ...(request.notCounted && { notCounted: request.notCounted }),
      lists: await sources.listed({
        account: context.account,
        state: account,
        target: request.target,
        timeMs: context.time,
      }),
      trustedUserAgreed: account.trustedUser,
      time: context.time,
    },
    ready.reads,
  )
  const lookups = ready.compiled.asks(arrived.evidence)
  const gathered =
    lookups.length === 0 ? arrived : await answered(sources, setting, { arrived, lookups })
  const running = ready.compiled.runByRule(gathered.evidence)
  const run = await sources.computing.runInPieces(context.account, running)
  const id = derivedId('evl', context.command, 'evaluation')
  const body = ready.compiled.render(id, run)
  const digestOf = (looked: LookedUp): string => sources.digestOf(context.account, looked)
  const found = { dispatch, gathered, run, body }
  const data = flowEvaluated({ id, context, asOf, request, ready, digestOf }, found)
  const position = await record(sources, context, data)
  sources.onRecorded?.(data, context.account, gathered.notCounted)
  return { body, position }
}

interface Arrived {
  readonly arrived: Gathered
  readonly lookups: readonly AskedList[]
}

/** With the answers of the lists that the rules ask. */
async function answered(
  { asked }: Pick<EvaluationSources, 'asked'>,
  { context, rulebooks }: EvaluationSetting,
  { arrived, lookups }: Arrived,
): Promise<Gathered> {
  const { account, time: timeMs } = context
  return withAnswers(arrived, await asked({ account, rulebook: rulebooks.own, lookups, timeMs }))
}

/** A dispatch that is named: its signals, or why it brings none. */
export type FoundDispatch = {
  /** Keyed digest of its id. */
  readonly subject: string
} & (
  | { readonly state: 'found'; readonly signals: Signals }
  | { readonly state: 'expired' | 'unknown' }
)

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
    account: context.account,
  })
  if (answer.ok) return answer.position
  throw new Failure('conflict', 'The evaluation is on record already.')
}
