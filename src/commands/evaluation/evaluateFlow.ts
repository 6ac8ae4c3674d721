/** Reads a flow's rulebook and evaluates it once per command, recorded before the answer. */

import { setImmediate as nextPhase } from 'node:timers/promises'
import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { deriveId } from '../../domain/ids.ts'
import { runSoon } from '../../domain/load/scheduler.ts'
import type { ListAnswer, NotCounted } from '../../engine/run/evidence.ts'
import { type AccountState, accountStream } from '../../events/accounts/account.ts'
import {
  type EvaluationToRecord,
  evaluationStream,
} from '../../events/evaluation/evaluationEvents.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  managedStream,
  type RulebookState,
  rulebookStream,
} from '../../events/rulebook/rulebook.ts'
import type { EvaluationMeter } from '../../metrics/evaluationMeter.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'
import { addCounted, answerCounters, noCounters } from '../../state/evaluation/countEvaluation.ts'
import type { CompiledPlanCache, FlowPlans } from '../../state/evaluation/flowPlanCache.ts'
import {
  addCounterAnswers,
  addListAnswers,
  answerCalls,
  buildFlowEvaluated,
  type EvaluationRequest,
  gatherEvidence,
} from '../../state/evaluation/gatherEvidence.ts'
import {
  hasManyPending,
  notePendingTallies,
  waitForManyPending,
} from '../../state/evaluation/pendingTallies.ts'
import type { CounterContext } from '../../state/evaluation/readCounters.ts'
import {
  findEvaluationRecord,
  readPinnedPlan,
  rebuildAnswer,
} from '../../state/evaluation/readEvaluationRecord.ts'
import { idempotencyKeyReused } from '../../state/folding/rememberedCommands.ts'
import type { FoldedStream } from '../../state/folding/streamType.ts'
import { type ListLookupContext, lookUpLists, lookUpTarget } from '../../state/lists/listLookups.ts'
import type { RulebookStreams, Rulebooks } from '../../state/rulebook/rulebookStreams.ts'
import type { DispatchContext } from '../../state/signals/findDispatch.ts'
import { findDispatch } from '../../state/signals/findDispatch.ts'
import type { PooledKeyring } from '../../stores/keys/keyring.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import { buildEventContext } from '../handling/executeCommand.ts'
import { waitForSealingKeys } from '../handling/waitForSealingKeys.ts'
import { hasYoungCounters, type WarmUpContext, warmCounters } from './warmCounters.ts'

/** What evaluating takes. */
export interface EvaluationContext
  extends Pick<
      CommandContext,
      'events' | 'encode' | 'streamQueue' | 'clock' | 'random' | 'scheduler'
    >,
    AccountStreams,
    Pick<RulebookStreams, 'rulebooks' | 'managed'>,
    ListLookupContext,
    CounterContext,
    WarmUpContext,
    DispatchContext {
  readonly keyring: CommandContext['keyring'] & Pick<PooledKeyring, 'keysReady' | 'storesKeys'>
  readonly plans: FlowPlans
  readonly compiledPlans: Pick<CompiledPlanCache, 'cached'>
  /** Told of each verdict once it is on record. */
  readonly metrics: { readonly evaluated: EvaluationMeter }
}

/** The answer's body is JSON text already: these bytes are what was hashed into the record. Throws as `evaluate`. */
export async function evaluateFlow(
  context: EvaluationContext,
  call: Call,
  input: EvaluationRequest,
): Promise<WriteResult<string>> {
  const account = call.principal.accountId
  const intention = { account, operation: 'evaluate', input, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  const { body, position } = await evaluateAndRecord(context, eventContext, () => input)
  return { value: body, position, visible: true }
}

export function deriveEvaluationId({ command }: Pick<EventContext, 'command'>): string {
  return deriveId('evl', command, 'evaluation')
}

/** What is to be evaluated, found out when it is not on record yet. */
type Ask = (account: AccountState) => EvaluationRequest

/** An evaluation on record. */
interface Evaluation {
  /** The answer (spec 2.4) as JSON text. */
  readonly body: string
  readonly position: number
  /** The request that recorded it. */
  readonly request: string
  /** Whether an earlier call had recorded it. */
  readonly isRepeated: boolean
}

/**
 * Evaluates a flow once for each command. Throws `invalid_request` with the path `flow_id` for an unknown flow (spec
 * 7.1), `idempotency_key_reused`, `unavailable` when the verdict could not be recorded.
 */
export async function evaluateAndRecord(
  context: EvaluationContext,
  eventContext: EventContext,
  ask: Ask,
): Promise<Evaluation> {
  if (eventContext.digest !== undefined) {
    const id = deriveEvaluationId(eventContext)
    return context.streamQueue.run(id, () => evaluateOnce(context, eventContext, { id, ask }))
  }
  const scored = await score(context, eventContext, ask)
  count(context, eventContext, scored)
  return scored
}

/** What is imported happened before: metrics are of what happens. */
function count(
  { metrics }: Pick<EvaluationContext, 'metrics'>,
  { account }: EventContext,
  { data, notCounted }: ScoredEvaluation,
): void {
  if (!data.imported) metrics.evaluated(data, account, notCounted)
}

async function evaluateOnce(
  context: EvaluationContext,
  eventContext: EventContext,
  { id, ask }: { readonly id: string; readonly ask: Ask },
): Promise<Evaluation> {
  const known = await findRecorded(context, eventContext, id)
  if (known) return known
  const scored = await score(context, eventContext, ask).catch(ignoreConflict)
  const recorded = await findRecorded(context, eventContext, id)
  if (!recorded) throw new Error(`evaluation ${id} was recorded and cannot be read`)
  // the store takes an append whose ids it knows: what is on record may be another instance's, which has counted it
  const { request, time } = eventContext
  const isOwn = recorded.request === request && recorded.time === time
  if (!scored || !isOwn) return recorded
  count(context, eventContext, scored)
  return { ...recorded, isRepeated: false }
}

/** Another instance recorded it first under the same id: its record answers. */
function ignoreConflict(error: unknown): undefined {
  if (!(error instanceof Failure) || error.code !== 'conflict') throw error
}

interface RecordedEvaluation extends Evaluation {
  readonly time: number
}

/** The evaluation of the command when it is on record. Throws `idempotency_key_reused`. */
export async function findRecorded(
  context: Pick<EvaluationContext, 'events' | 'compiledPlans' | 'scheduler'>,
  eventContext: EventContext,
  id: string,
): Promise<RecordedEvaluation | undefined> {
  const record = await findEvaluationRecord(context.events, id)
  if (!record) return undefined
  const { event, metadata, position } = record.decoded
  const { plan: digest, request_digest } = event.data
  if (request_digest !== eventContext.digest) {
    throw idempotencyKeyReused()
  }
  const plan =
    context.compiledPlans.cached(record.account, digest)?.plan ??
    (await readPinnedPlan(context, digest))
  const { request, time } = metadata
  return { body: rebuildAnswer(record, plan), position, request, time, isRepeated: true }
}

interface ScoredEvaluation extends Evaluation {
  readonly data: EvaluationToRecord
  readonly notCounted: readonly NotCounted[]
}

/**
 * Reads what the account has configured, and scores with it. What is in memory is not waited for, but for what has come
 * with it: requests that arrive together are read one after the other, and then scored one after the other, each with
 * the code that the one before has brought into the processor's caches.
 */
async function score(
  context: EvaluationContext,
  eventContext: EventContext,
  ask: Ask,
): Promise<ScoredEvaluation> {
  await nextPhase()
  const { account } = eventContext
  const asOf = context.followed.position
  const { state } = await context.accounts.getFolded(accountStream(account))
  const request = ask(state)
  const rulebook = await readRulebookWithFlow(context, account, request.flow_id)
  const managed = await context.managed.getFolded(managedStream)
  const rulebooks = { own: rulebook.state, managed: managed.state }
  return scoreWith(context, { eventContext, asOf, account: state, rulebooks }, request)
}

/** The account's rulebook; a flow that is not in it may have been published by another instance a moment ago. */
export async function readRulebookWithFlow(
  { rulebooks }: Pick<RulebookStreams, 'rulebooks'>,
  account: string,
  flowId: string,
): Promise<FoldedStream<RulebookState>> {
  const stream = rulebookStream(account)
  const folded = await rulebooks.getFolded(stream)
  return folded.state.flows.get(flowId)?.current ? folded : rulebooks.catchUp(stream)
}

/** What the account has configured when it evaluates. */
interface Configuration {
  readonly eventContext: EventContext
  /** Position up to which the log was known before any of this was read. */
  readonly asOf: number
  readonly account: AccountState
  readonly rulebooks: Rulebooks
}

/** Scores and records: once everything is in memory, the commit is the only wait. */
async function scoreWith(
  context: EvaluationContext,
  { eventContext, asOf, account, rulebooks }: Configuration,
  request: EvaluationRequest,
): Promise<ScoredEvaluation> {
  const { account: of } = eventContext
  if (hasManyPending(context, of)) await waitForManyPending(context, of)
  const { dispatch_id: dispatchId, target, occurred_at } = request
  const timeMs = occurred_at ?? eventContext.time
  const listed = occurred_at === undefined ? context : withoutCachedLists(context)
  const ready = await context.plans.preparePlan(of, rulebooks, request.flow_id)
  if (!ready) throw invalidRequest([unknownFlow])
  const dispatch =
    dispatchId === undefined
      ? noDispatch
      : await findDispatch(context, { account: of, dispatchId, timeMs })
  const arrived = gatherEvidence(
    {
      request,
      // its device signals count, since a dispatch of then cannot be named
      dispatch: occurred_at === undefined ? dispatch.signals : {},
      lists: await lookUpTarget(listed, { account: of, state: account, target, timeMs }),
      isTrustedUserAgreed: account.trusted_user,
      time: timeMs,
    },
    ready.reads,
  )
  const { compiled } = ready
  const asked = answerCalls(arrived, compiled)
  const { lookups } = asked
  const looking = { account: of, rulebook: rulebooks.own, lookups, timeMs }
  const answers = lookups.length === 0 ? noAnswers : await lookUpLists(listed, looking)
  const counting = { account: of, request, kept: rulebooks.own.counters, asked, timeMs }
  const { answers: counts, countedTo } =
    asked.counters.length === 0 ? noCounters : await answerCounters(context, counting)
  if (counts.size > 0 && hasYoungCounters(counts))
    warmCounters(context, eventContext, counting.kept)
  const gathered = addCounterAnswers(addListAnswers(asked, answers), counts)
  const run = await runSoon(context, of, compiled.runSteps(gathered.evidence))
  const id = deriveEvaluationId(eventContext)
  const body = compiled.renderResponse(id, run)
  const scored = buildFlowEvaluated({
    id,
    context: eventContext,
    asOf,
    request,
    ready,
    keyring: context.keyring,
    dispatch,
    gathered,
    run,
    body,
  })
  const counted = { ...counting, countedTo }
  // most accounts have no counters
  const data = counted.kept.size === 0 ? scored : addCounted(context, scored, counted)
  const position = await record(context, eventContext, data)
  if (data.tallies) notePendingTallies(context, of, { tallies: data.tallies, position })
  const { notCounted } = gathered
  return { body, position, request: eventContext.request, data, notCounted, isRepeated: false }
}

/** The cache has no entries that have ended, which may not have by the clock of what is imported: the log is asked. */
function withoutCachedLists(context: EvaluationContext): EvaluationContext {
  return { ...context, cachedLists: { ...context.cachedLists, get: () => undefined } }
}

export const unknownFlow = { path: 'flow_id', message: 'There is no flow with this id.' }

const noAnswers: ReadonlyMap<string, ListAnswer> = new Map()

const noDispatch = { state: 'none', subject: undefined, signals: undefined } as const

/** Throws `conflict` when the evaluation's id is taken. */
async function record(
  { events, encode, keyring }: EvaluationContext,
  context: EventContext,
  data: EvaluationToRecord,
): Promise<number> {
  // not awaited where there are keys: whoever finds them takes them before the next one looks
  const keys = waitForSealingKeys(keyring)
  if (keys) await keys
  const answer = await events.append({
    stream: evaluationStream(data.evaluation_id),
    events: encode([{ type: 'FlowEvaluated', data }], context),
    expected: 'no_stream',
  })
  if (answer.ok) return answer.position
  throw new Failure('conflict', 'The evaluation is on record already.')
}
