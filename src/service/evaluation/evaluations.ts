/** Scoring, and what was scored. */

import {
  type Evaluation,
  type EvaluationSources,
  evaluateFlow,
} from '../../commands/evaluation/evaluateFlow.ts'
import { readEvaluation } from '../../commands/evaluation/evaluationRecord.ts'
import { openPlans } from '../../commands/evaluation/plans.ts'
import { appendSurely } from '../../commands/handling/handle.ts'
import { dispatchStream } from '../../commands/signals/recordDispatch.ts'
import { Failure } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
import type { Signals } from '../../domain/signals.ts'
import { uuidV5 } from '../../domain/uuid.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import { planEvents, planStream } from '../../events/evaluation/planRecord.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  accountStream,
  eventContextOf,
  managedStream,
  rulebookStream,
  type ServiceContext,
} from '../opening/serviceContext.ts'
import type { EvaluationInput, EvaluationPart } from './evaluationPart.ts'
import { answerOfRecord } from './recordedAnswer.ts'

/** Namespace of the command ids under which plans are recorded. */
const planNamespace = '2f0f5a34-6f0b-5c62-8a3c-0d9a5c1e7b42'

/** Characters of events in one append, well below the store's 1 MiB. */
const appendChars = 640 * 1024

/** Evaluates flows. */
export function openEvaluation(
  context: ServiceContext,
  onRecorded: NonNullable<EvaluationSources['onRecorded']>,
): EvaluationPart['evaluateFlow'] {
  const sources: EvaluationSources = {
    store: context.events,
    encode: context.encode,
    plans: openPlans((account, digest, plan) => recordPlan(context, { account, digest, plan })),
    dispatched: (account, dispatchId) => dispatched(context, account, dispatchId),
    listed: () => ({ allow: false, block: false }),
    onRecorded,
  }
  const underWay = new Map<string, Promise<Evaluation>>()

  const evaluate = async (
    eventContext: EventContext,
    input: EvaluationInput,
  ): Promise<Evaluation> => {
    const account = await context.accounts.folded(accountStream(eventContext.account))
    const rulebook = await rulebookWith(context, eventContext.account, input.flow_id)
    const managed = await context.managed.folded(managedStream)
    const rulebooks = { own: rulebook.state, managed: managed.state }
    const setting = { context: eventContext, account: account.state, rulebooks }
    return evaluateFlow(sources, setting, input)
  }

  const evaluateOnce = async (
    eventContext: EventContext,
    input: EvaluationInput,
  ): Promise<Evaluation> => {
    const id = derivedId('evl', eventContext.command, 'evaluation')
    const known = await repeated(context, eventContext, id)
    if (known) return known
    await evaluate(eventContext, input).catch(unlessTaken)
    const recorded = await repeated(context, eventContext, id)
    if (recorded) return recorded
    throw new Error(`evaluation ${id} was recorded and cannot be read`)
  }

  const oneAtATime = async (
    eventContext: EventContext,
    input: EvaluationInput,
  ): Promise<Evaluation> => {
    const { command } = eventContext
    // An equal request that is under way is waited for; its record then answers this one.
    await underWay.get(command)?.catch(() => undefined)
    const evaluation = evaluateOnce(eventContext, input)
    underWay.set(command, evaluation)
    return evaluation.finally(() => {
      if (underWay.get(command) === evaluation) underWay.delete(command)
    })
  }

  return async (call, input) => {
    const account = call.principal.accountId
    const intention = { account, operation: 'evaluate', input, ownStream: true }
    const eventContext = eventContextOf(context, call, intention)
    const work = eventContext.digest === undefined ? evaluate : oneAtATime
    const { body, position } = await work(eventContext, input)
    return { value: body, position, visible: true }
  }
}

/** The account's rulebook; a flow that is not in it may have been published by another instance a moment ago. */
async function rulebookWith({ rulebooks }: ServiceContext, account: string, flowId: string) {
  const stream = rulebookStream(account)
  const held = await rulebooks.folded(stream)
  return held.state.flows.get(flowId)?.current ? held : rulebooks.catchUp(stream)
}

/** Somebody else recorded it first under the same id: their record answers. */
function unlessTaken(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'conflict') throw error
}

async function repeated(
  context: ServiceContext,
  eventContext: EventContext,
  id: string,
): Promise<Evaluation | undefined> {
  const record = await readEvaluation({ store: context.events, decode }, id)
  if (!record) return undefined
  if (record.decoded.event.data.request_digest !== eventContext.digest) {
    throw new Failure(
      'idempotency_key_reused',
      'The Idempotency-Key was used before with another request.',
    )
  }
  return { body: answerOfRecord(record), position: record.decoded.position }
}

async function dispatched(
  context: ServiceContext,
  account: string,
  dispatchId: string,
): Promise<Signals | undefined> {
  const stream = dispatchStream(context.keyring.subject(account, 'dispatch', dispatchId))
  const [recorded] = await context.events.readStream(stream, { from: 0, limit: 1 })
  if (!recorded) return undefined
  const opened = await openEvent(decode(recorded), context.keyring)
  const { signals } = opened.event.data as { signals: Signals | { forgotten: true } }
  return 'forgotten' in signals ? undefined : signals
}

interface PlanToRecord {
  readonly account: string
  readonly digest: string
  readonly plan: Plan
}

/** Writes the plan's stream; what is there already stays, since its ids and revisions are the same. */
async function recordPlan(
  context: ServiceContext,
  { account, digest, plan }: PlanToRecord,
): Promise<void> {
  const eventContext: EventContext = {
    account,
    actor: 'service',
    request: '',
    command: uuidV5(planNamespace, digest),
    time: context.clock.nowMs(),
  }
  const encoded = context.encode(planEvents(digest, plan), eventContext)
  const stream = planStream(digest)
  for (let from = 0; from < encoded.length; ) {
    const to = endOfAppend(encoded, from)
    const expected = from === 0 ? 'no_stream' : from - 1
    const answer = await appendSurely(context.events, {
      stream,
      events: encoded.slice(from, to),
      expected,
    })
    if (!answer.ok) throw new Error(`stream ${stream} holds something else than its plan`)
    from = to
  }
}

function endOfAppend(events: readonly { readonly data: string }[], from: number): number {
  let chars = 0
  for (let at = from; at < events.length; at += 1) {
    chars += events[at]?.data.length ?? 0
    if (at > from && chars > appendChars) return at
  }
  return events.length
}
