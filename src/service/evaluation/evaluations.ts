/** Scoring, and what was scored. */

import type { CompiledPlans } from '../../commands/evaluation/compiledPlans.ts'
import {
  type Evaluation,
  type EvaluationSources,
  evaluateFlow,
} from '../../commands/evaluation/evaluateFlow.ts'
import { readEvaluation } from '../../commands/evaluation/evaluationRecord.ts'
import type { EvaluationRequest } from '../../commands/evaluation/flowEvaluated.ts'
import { openPlans } from '../../commands/evaluation/plans.ts'
import { type PlanReader, readPlan } from '../../commands/evaluation/recordedPlan.ts'
import { openPlanRecorder } from '../../commands/evaluation/recordPlan.ts'
import type { FoldedStream } from '../../commands/handling/family.ts'
import { whenAKeyIsReady } from '../../commands/handling/whenKeysAreSpare.ts'
import { findDispatch } from '../../commands/signals/findDispatch.ts'
import { Failure } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import { decode, encode } from '../../events/catalogue.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { lookupDigest } from '../../events/recording/lookupDigest.ts'
import { managedStream } from '../../events/rulebook/managedRulebook.ts'
import type { RulebookState } from '../../events/rulebook/rulebook.ts'
import { listsAsked } from '../lists/askedLists.ts'
import { listedTarget } from '../lists/listedTarget.ts'
import {
  accountStream,
  eventContextOf,
  rulebookStream,
  type ServiceContext,
} from '../opening/serviceContext.ts'
import type { EvaluationPart } from './evaluationPart.ts'
import { answerOfRecord } from './replayEvaluation.ts'

/** What is to be evaluated, found out when it is not on record yet. */
type Ask = (account: AccountState) => EvaluationRequest

/** An evaluation with the request that recorded it. */
interface Answered extends Evaluation {
  readonly request: string
}

/** Evaluates what is asked, once for each command. */
export type Evaluate = (eventContext: EventContext, ask: Ask) => Promise<Answered>

/** Opens the evaluating of flows. */
export function openEvaluating(
  context: ServiceContext,
  compiledPlans: CompiledPlans,
  onRecorded: NonNullable<EvaluationSources['onRecorded']>,
): Evaluate {
  const { events: store } = context
  const sources = sourcesOf(context, compiledPlans, onRecorded)
  const underWay = new Map<string, Promise<Answered>>()

  const evaluate = async (
    eventContext: EventContext,
    ask: Ask,
    tell = onRecorded,
  ): Promise<Answered> => {
    const asOf = context.followed.position
    const own = context.accounts.folded(accountStream(eventContext.account))
    const account = own instanceof Promise ? await own : own
    const input = ask(account.state)
    const authored = rulebookWith(context, eventContext.account, input.flow_id)
    const rulebook = authored instanceof Promise ? await authored : authored
    const shipped = context.managed.folded(managedStream)
    const managed = shipped instanceof Promise ? await shipped : shipped
    const rulebooks = { own: rulebook.state, managed: managed.state }
    const setting = { context: eventContext, asOf, account: account.state, rulebooks }
    const from = tell === onRecorded ? sources : { ...sources, onRecorded: tell }
    return { ...(await evaluateFlow(from, setting, input)), request: eventContext.request }
  }

  const evaluateOnce: Evaluate = async (eventContext, ask) => {
    const id = derivedId('evl', eventContext.command, 'evaluation')
    const known = await repeated({ store, compiledPlans }, eventContext, id)
    if (known) return known
    const made: Parameters<typeof onRecorded>[] = []
    await evaluate(eventContext, ask, (...told) => made.push(told)).catch(unlessTaken)
    const recorded = await repeated({ store, compiledPlans }, eventContext, id)
    if (!recorded) throw new Error(`evaluation ${id} was recorded and cannot be read`)
    // The store takes an append whose ids it knows: what is on record may be another instance's, who has told of it.
    if (isOf(recorded, eventContext)) for (const told of made) onRecorded(...told)
    return recorded
  }

  const oneAtATime: Evaluate = async (eventContext, ask) => {
    const { command } = eventContext
    // An equal request that is under way is waited for; its record then answers this one.
    await underWay.get(command)?.catch(() => undefined)
    const evaluation = evaluateOnce(eventContext, ask)
    underWay.set(command, evaluation)
    return evaluation.finally(() => {
      if (underWay.get(command) === evaluation) underWay.delete(command)
    })
  }

  return (eventContext, ask) =>
    eventContext.digest === undefined ? evaluate(eventContext, ask) : oneAtATime(eventContext, ask)
}

function sourcesOf(
  context: ServiceContext,
  compiledPlans: CompiledPlans,
  onRecorded: NonNullable<EvaluationSources['onRecorded']>,
): EvaluationSources {
  const { events: store, clock, keyring } = context
  return {
    store,
    encode: (data, of) =>
      encode({ event: { type: 'FlowEvaluated', data }, context: of, index: 0 }, keyring),
    keysReady: () => whenAKeyIsReady(keyring),
    plans: openPlans(
      compiledPlans,
      openPlanRecorder({ store, encode: context.encode, nowMs: clock.nowMs }),
    ),
    dispatched: (asked) => findDispatch(context, asked),
    listed: (asked) => listedTarget(context, asked),
    asked: (asked) => listsAsked(context, asked),
    digestOf: (account, looked) => lookupDigest(keyring, account, looked),
    onRecorded,
  }
}

/** Evaluates the flow that the caller names. */
export function openEvaluateFlow(
  context: ServiceContext,
  evaluate: Evaluate,
): EvaluationPart['evaluateFlow'] {
  return async (call, input) => {
    const account = call.principal.accountId
    const intention = { account, operation: 'evaluate', input, ownStream: true }
    const { body, position } = await evaluate(eventContextOf(context, call, intention), () => input)
    return { value: body, position, visible: true }
  }
}

/** The account's rulebook; a flow that is not in it may have been published by another instance a moment ago. */
export function rulebookWith({ rulebooks }: ServiceContext, account: string, flowId: string) {
  const stream = rulebookStream(account)
  const withFlow = (held: FoldedStream<RulebookState>) =>
    held.state.flows.get(flowId)?.current ? held : rulebooks.catchUp(stream)
  const folded = rulebooks.folded(stream)
  return folded instanceof Promise ? folded.then(withFlow) : withFlow(folded)
}

/** Somebody else recorded it first under the same id: their record answers. */
function unlessTaken(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'conflict') throw error
}

async function repeated(
  { store, compiledPlans }: Pick<PlanReader, 'store'> & { compiledPlans: CompiledPlans },
  eventContext: EventContext,
  id: string,
): Promise<Recorded | undefined> {
  const record = await readEvaluation({ store, decode }, id)
  if (!record) return undefined
  if (record.decoded.event.data.request_digest !== eventContext.digest) {
    throw new Failure(
      'idempotency_key_reused',
      'The Idempotency-Key was used before with another request.',
    )
  }
  const { metadata, position } = record.decoded
  const { plan: digest } = record.decoded.event.data
  const plan =
    compiledPlans.held(record.account, digest)?.plan ??
    (await readPlan({ store, decode }, digest)).plan
  const { request } = metadata
  return { body: answerOfRecord(record, plan), position, request, metadata }
}

interface Recorded extends Answered {
  readonly metadata: Pick<EventContext, 'request' | 'time'>
}

/** Whether this request made the record. */
function isOf({ metadata }: Recorded, { request, time }: EventContext): boolean {
  return metadata.request === request && metadata.time === time
}
