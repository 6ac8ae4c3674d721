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
import type { Call, EvaluationInput, Written } from '../../service.ts'
import {
  accountStream,
  contextOf,
  type House,
  managedRulebook,
  rulebookStream,
} from '../opening/house.ts'
import { answerOfRecord } from './recordedAnswer.ts'

/** Namespace of the command ids under which plans are recorded. */
const planNamespace = '2f0f5a34-6f0b-5c62-8a3c-0d9a5c1e7b42'

/** Characters of events in one append, well below the store's 1 MiB. */
const appendChars = 640 * 1024

/** Evaluates flows for one house. */
export function openEvaluation(
  house: House,
  onRecorded: NonNullable<EvaluationSources['onRecorded']>,
): (call: Call, input: EvaluationInput) => Promise<Written<string>> {
  const sources: EvaluationSources = {
    store: house.events,
    encode: house.encode,
    plans: openPlans((account, digest, plan) => recordPlan(house, { account, digest, plan })),
    dispatched: (account, dispatchId) => dispatched(house, account, dispatchId),
    listed: () => ({ allow: false, block: false }),
    onRecorded,
  }
  const underWay = new Map<string, Promise<Evaluation>>()

  const evaluate = async (context: EventContext, input: EvaluationInput): Promise<Evaluation> => {
    const account = await house.accounts.held(accountStream(context.account))
    const rulebook = await house.rulebooks.held(rulebookStream(context.account))
    const books = { own: rulebook.state, managed: managedRulebook(house) }
    const setting = { context, account: account.state, books }
    return evaluateFlow(sources, setting, input)
  }

  const evaluateOnce = async (
    context: EventContext,
    input: EvaluationInput,
  ): Promise<Evaluation> => {
    const id = derivedId('evl', context.command, 'evaluation')
    const known = await repeated(house, context, id)
    if (known) return known
    await evaluate(context, input).catch(unlessTaken)
    const recorded = await repeated(house, context, id)
    if (recorded) return recorded
    throw new Error(`evaluation ${id} was recorded and cannot be read`)
  }

  const oneAtATime = async (context: EventContext, input: EvaluationInput): Promise<Evaluation> => {
    const { command } = context
    // An equal request that is under way is waited for; its record then answers this one.
    await underWay.get(command)?.catch(() => undefined)
    const evaluation = evaluateOnce(context, input)
    underWay.set(command, evaluation)
    return evaluation.finally(() => {
      if (underWay.get(command) === evaluation) underWay.delete(command)
    })
  }

  return async (call, input) => {
    const account = call.principal.accountId
    const context = contextOf(house, call, { account, operation: 'evaluate', input })
    const work = context.digest === undefined ? evaluate : oneAtATime
    const { body, position } = await work(context, input)
    return { value: body, position, visible: true }
  }
}

/** Somebody else recorded it first under the same id: their record answers. */
function unlessTaken(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'conflict') throw error
}

async function repeated(
  house: House,
  context: EventContext,
  id: string,
): Promise<Evaluation | undefined> {
  const record = await readEvaluation({ store: house.events, decode }, id)
  if (!record) return undefined
  if (record.decoded.event.data.request_digest !== context.digest) {
    throw new Failure(
      'idempotency_key_reused',
      'The Idempotency-Key was used before with another request.',
    )
  }
  return { body: answerOfRecord(record), position: record.decoded.position }
}

async function dispatched(
  house: House,
  account: string,
  dispatchId: string,
): Promise<Signals | undefined> {
  const stream = dispatchStream(house.keyring.subject(account, 'dispatch', dispatchId))
  const [recorded] = await house.events.readStream(stream, { from: 0, limit: 1 })
  if (!recorded) return undefined
  const opened = await openEvent(decode(recorded), house.keyring)
  const { signals } = opened.event.data as { signals: Signals | { forgotten: true } }
  return 'forgotten' in signals ? undefined : signals
}

interface PlanToRecord {
  readonly account: string
  readonly digest: string
  readonly plan: Plan
}

/** Writes the plan's stream; what is there already stays, since its ids and revisions are the same. */
async function recordPlan(house: House, { account, digest, plan }: PlanToRecord): Promise<void> {
  const context: EventContext = {
    account,
    actor: 'service',
    request: '',
    command: uuidV5(planNamespace, digest),
    time: house.clock.nowMs(),
  }
  const encoded = house.encode(planEvents(digest, plan), context)
  const stream = planStream(digest)
  for (let from = 0; from < encoded.length; ) {
    const to = endOfAppend(encoded, from)
    const expected = from === 0 ? 'no_stream' : from - 1
    const answer = await appendSurely(house.events, {
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
