/** Validates and records a batch of feedback or reported events: all in one append, or nothing. */

import type { Call, WriteResult } from '../../domain/call.ts'
import type { Confidence, FeedbackType, ReportedTarget } from '../../domain/evaluation/feedback.ts'
import { deriveIdAtIndex } from '../../domain/ids.ts'
import { longWork, pauseLongWork } from '../../domain/load/scheduler.ts'
import type { FeedbackSignals } from '../../domain/signals/signalSchemas.ts'
import { decode, encode } from '../../events/catalogue.ts'
import type {
  FeedbackEvent,
  RecordedDetails,
  ReportedEvent,
} from '../../events/feedback/feedbackEvents.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { Tally } from '../../events/recording/tallies.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import {
  hasManyPending,
  notePendingTallies,
  type PendingTalliesContext,
  waitForManyPending,
} from '../../state/evaluation/pendingTallies.ts'
import { idempotencyKeyReused } from '../../state/folding/rememberedCommands.ts'
import type { RulebookStreams } from '../../state/rulebook/rulebookStreams.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import { buildEventContext } from '../handling/executeCommand.ts'
import { waitForSpareKeys } from '../handling/waitForSealingKeys.ts'
import { openFeedbackTallies } from './feedbackTallies.ts'
import {
  checkDetails,
  type ReportDetails,
  readSignalDigests,
  recordDetails,
} from './reportDetails.ts'

/** Feedback after its checks: target and address canonical, empty signals left out. */
export interface FeedbackInput extends ReportDetails {
  readonly target: ReportedTarget
  readonly type: FeedbackType
  readonly signals?: FeedbackSignals
}

/** An event after its checks. */
export interface ReportedEventInput extends ReportDetails {
  readonly target: ReportedTarget
  readonly label: string
  readonly confidence: Confidence
}

/** What a batch is answered with (spec 2.8). */
interface BatchReceived {
  readonly status: 'success'
  /** Of the request that recorded the batch: of the first one when an `Idempotency-Key` is repeated. */
  readonly request_id: string
}

type Context = Pick<CommandContext, 'events' | 'keyring' | 'clock' | 'random' | 'scheduler'> &
  Pick<RulebookStreams, 'rulebooks'> &
  PendingTalliesContext & {
    readonly projections: { readonly position: () => number }
    readonly metrics: Pick<Metrics, 'reported'>
  }

/**
 * Records all feedback of the batch or none, durably. `visible` says whether the read models show it already; it is
 * not waited for. Throws `invalid_request` for an evaluation that the account does not have and a time in the
 * future, `idempotency_key_reused`, `unavailable`.
 */
export function recordFeedback(
  context: Context,
  call: Call,
  inputs: readonly FeedbackInput[],
): Promise<WriteResult<BatchReceived>> {
  const account = call.principal.accountId
  const intention = { account, operation: 'feedback.send', input: inputs, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  return recordBatch(context, eventContext, {
    stream: `feedback-${eventContext.command}`,
    name: 'feedbacks',
    inputs,
    toEvent: ({ target, type, ...said }, index, details): FeedbackEvent => ({
      type: 'FeedbackReceived',
      data: {
        feedback_id: deriveIdAtIndex('fbk', eventContext.command, index),
        type,
        target_type: target.type,
        ...details,
        target: target.value,
        context: { ...pickNames(said), ...(said.signals && { signals: said.signals }) },
      },
    }),
    openTallies: () => openFeedbackTallies(context, account, inputs),
    onRecorded: () => context.metrics.reported.countFeedback(inputs),
  })
}

/** Same, for events. */
export function recordReportedEvents(
  context: Context,
  call: Call,
  inputs: readonly ReportedEventInput[],
): Promise<WriteResult<BatchReceived>> {
  const account = call.principal.accountId
  const intention = { account, operation: 'events.report', input: inputs, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  return recordBatch(context, eventContext, {
    ...buildEventBatch(eventContext, inputs),
    onRecorded: () => context.metrics.reported.countEvents(inputs),
  })
}

/**
 * Records what is known of an imported evaluation as an event, once for the caller's id of the evaluation, and answers
 * its position. Metrics do not count it: it happened before. Throws `unavailable`.
 */
export async function recordImportedLabel(
  context: Context,
  call: Call,
  { id, input }: { readonly id: string; readonly input: ReportedEventInput },
): Promise<number> {
  const { label, confidence, occurred_at } = input
  const eventContext = buildEventContext(
    context,
    { ...call, idempotencyKey: JSON.stringify([id, label, confidence, occurred_at]) },
    {
      account: call.principal.accountId,
      operation: 'evaluations.import.label',
      input,
      ownStream: true,
    },
  )
  return (await appendOnce(context, eventContext, buildEventBatch(eventContext, [input]))).position
}

function buildEventBatch(
  { command }: EventContext,
  inputs: readonly ReportedEventInput[],
): Omit<Batch<ReportedEventInput>, 'onRecorded'> {
  return {
    stream: `reported_event-${command}`,
    name: 'events',
    inputs,
    toEvent: ({ target, label, confidence, ...said }, index, details): ReportedEvent => {
      const { note } = said
      const names = { ...pickNames(said), ...(note !== undefined && { note }) }
      return {
        type: 'EventReported',
        data: {
          event_id: deriveIdAtIndex('evt', command, index),
          label,
          confidence,
          target_type: target.type,
          ...details,
          target: target.value,
          ...(Object.keys(names).length > 0 && { context: names }),
        },
      }
    },
  }
}

/** The caller's own names, which are sealed. */
function pickNames({ dispatch_id, correlation_id }: ReportDetails) {
  return {
    ...(dispatch_id !== undefined && { dispatch_id }),
    ...(correlation_id !== undefined && { correlation_id }),
  }
}

interface Batch<Input extends ReportDetails> {
  readonly stream: string
  /** The field of the request that holds it. */
  readonly name: string
  readonly inputs: readonly Input[]
  readonly toEvent: (
    input: Input,
    index: number,
    details: RecordedDetails & { readonly tallies?: readonly Tally[] },
  ) => DomainEvent
  /** Finds what each counts in; they count in nothing unless given. */
  readonly openTallies?: () => Promise<(input: Input) => readonly Tally[]>
  /** Called unless the same `Idempotency-Key` had recorded the batch before. */
  readonly onRecorded: () => void
}

async function recordBatch<Input extends ReportDetails>(
  context: Context,
  eventContext: EventContext,
  batch: Batch<Input>,
): Promise<WriteResult<BatchReceived>> {
  const { account } = eventContext
  const { position, request } = await longWork(context, account, async () => {
    if (hasManyPending(context, account)) await waitForManyPending(context, account)
    return appendOnce(context, eventContext, batch)
  })
  if (request === eventContext.request) batch.onRecorded()
  const visible = context.projections.position() >= position
  return { value: { status: 'success', request_id: request }, position, visible }
}

interface Recorded {
  readonly position: number
  /** The request that recorded the batch: an earlier one when the same `Idempotency-Key` recorded it before. */
  readonly request: string
}

/** Appends the batch, or finds what the same `Idempotency-Key` recorded before. */
async function appendOnce<Input extends ReportDetails>(
  service: Context,
  context: EventContext,
  batch: Omit<Batch<Input>, 'onRecorded'>,
): Promise<Recorded> {
  const { events: store, keyring, scheduler } = service
  const known = await findRecordedBatch(store, context, batch)
  if (known) return known
  const { stream, inputs, toEvent } = batch
  const stores = { events: store, keyring }
  await checkDetails(stores, context, batch)
  const signalDigests = await readSignalDigests(stores, context.account, inputs)
  const talliesOf = await batch.openTallies?.()
  const events: NewEvent[] = []
  const counted: Tally[] = []
  for (const [index, input] of inputs.entries()) {
    await waitForSpareKeys(keyring)
    // one alone is not long
    if (index > 0) await pauseLongWork({ scheduler })
    const details = recordDetails({ keyring, context, signalDigests }, input)
    const tallies = talliesOf?.(input) ?? []
    counted.push(...tallies)
    const event = toEvent(input, index, { ...details, ...(tallies.length > 0 && { tallies }) })
    events.push(encode({ event, context, index }, keyring))
  }
  const answer = await store.append({ stream, events, expected: 'no_stream' })
  if (answer.ok) {
    const { position } = answer
    notePendingTallies(service, context.account, { tallies: counted, position })
  }
  if (answer.ok && context.digest === undefined) {
    return { position: answer.position, request: context.request }
  }
  // an append whose event ids are known is accepted: another request may have recorded them
  const recorded = await findRecordedBatch(store, context, batch)
  if (!recorded) throw new Error(`the batch ${stream} was recorded and cannot be read`)
  return recorded
}

/** Undefined for a batch that is not recorded, or has no `Idempotency-Key`. Throws `idempotency_key_reused`. */
async function findRecordedBatch(
  store: Pick<EventStore, 'readStream'>,
  { digest }: EventContext,
  { stream, inputs }: Pick<Batch<ReportDetails>, 'stream' | 'inputs'>,
): Promise<Recorded | undefined> {
  if (digest === undefined) return undefined
  // a shorter batch has no event there; its first one has another digest
  const recorded =
    (await store.readStream(stream, { from: inputs.length - 1, limit: 1 }))[0] ??
    (await store.readStream(stream, { from: 0, limit: 1 }))[0]
  if (!recorded) return undefined
  const { metadata, position } = decode(recorded)
  if (metadata.digest === digest) return { position, request: metadata.request }
  throw idempotencyKeyReused()
}
