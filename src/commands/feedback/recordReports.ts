/** Validates and records a batch of feedback or reported events: all in one append, or nothing. */

import type { Call, WriteResult } from '../../domain/call.ts'
import {
  confidences,
  type FeedbackType,
  type ReportedTarget,
  reportedTargetSchema,
} from '../../domain/evaluation/feedback.ts'
import { deriveIdAtIndex } from '../../domain/ids.ts'
import { openObject, type TypeOf } from '../../domain/jsonSchema.ts'
import { longWork, pauseLongWork } from '../../domain/load/scheduler.ts'
import type { FeedbackSignals } from '../../domain/signals/signalSchemas.ts'
import { decode, encode } from '../../events/catalogue.ts'
import type { FeedbackEvent, ReportedEvent } from '../../events/feedback/feedbackEvents.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import { computeLookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import { buildEventContext } from '../handling/executeCommand.ts'
import { idempotencyKeyReused } from '../handling/rememberedCommands.ts'
import { waitForSpareKeys } from '../handling/waitForSealingKeys.ts'

/** Feedback after its checks: target and address canonical, empty signals left out. */
export interface FeedbackInput {
  readonly target: ReportedTarget
  readonly type: FeedbackType
  readonly signals?: FeedbackSignals
  readonly dispatch_id?: string
  readonly correlation_id?: string
}

/** The label is stored in clear and must not name a person: no `@`, `+` or space. */
export const labelSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]*$',
} as const

export const reportedEventInputSchema = openObject('ReportedEventInput', {
  target: reportedTargetSchema,
  label: {
    ...labelSchema,
    description:
      'The kind of event, such as account.banned or payment.chargeback. Stored in clear: it must not name a person.',
  },
  confidence: { type: 'string', enum: confidences, description: 'How confident the caller is.' },
})
/** An event after its checks. */
export type ReportedEventInput = TypeOf<typeof reportedEventInputSchema>

/** What a batch is answered with (spec 2.8). */
export const batchReceivedSchema = openObject('BatchReceived', {
  status: { type: 'string', enum: ['success'] },
  request_id: {
    type: 'string',
    description:
      'Id of the request that recorded the batch; of the first one when an Idempotency-Key is repeated.',
  },
})
type BatchReceived = TypeOf<typeof batchReceivedSchema>

type Context = Pick<CommandContext, 'events' | 'keyring' | 'clock' | 'random' | 'scheduler'> & {
  readonly projections: { readonly position: () => number }
  readonly metrics: Pick<Metrics, 'reported'>
}

/**
 * Records all feedback of the batch or none, durably. `visible` says whether the read models show it already; it is not waited for. Throws
 * `idempotency_key_reused`, `unavailable`.
 */
export function recordFeedback(
  context: Context,
  call: Call,
  batch: readonly FeedbackInput[],
): Promise<WriteResult<BatchReceived>> {
  const account = call.principal.accountId
  const intention = { account, operation: 'feedback.send', input: batch, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  const toEvent = ({ target, type, ...said }: FeedbackInput, index: number): FeedbackEvent => {
    const { correlation_id: value } = said
    return {
      type: 'FeedbackReceived',
      data: {
        feedback_id: deriveIdAtIndex('fbk', eventContext.command, index),
        type,
        target_type: target.type,
        ...(value !== undefined && {
          correlation: computeLookupDigest(context.keyring, account, {
            kind: 'correlation_id',
            value,
          }),
        }),
        target: target.value,
        context: said,
      },
    }
  }
  return recordBatch(context, eventContext, {
    stream: `feedback-${eventContext.command}`,
    events: batch.map(toEvent),
    onRecorded: () => context.metrics.reported.countFeedback(batch),
  })
}

/** Same, for events. */
export function recordReportedEvents(
  context: Context,
  call: Call,
  batch: readonly ReportedEventInput[],
): Promise<WriteResult<BatchReceived>> {
  const account = call.principal.accountId
  const intention = { account, operation: 'events.report', input: batch, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  const toEvent = (
    { target, label, confidence }: ReportedEventInput,
    index: number,
  ): ReportedEvent => ({
    type: 'EventReported',
    data: {
      event_id: deriveIdAtIndex('evt', eventContext.command, index),
      label,
      confidence,
      target_type: target.type,
      target: target.value,
    },
  })
  return recordBatch(context, eventContext, {
    stream: `reported_event-${eventContext.command}`,
    events: batch.map(toEvent),
    onRecorded: () => context.metrics.reported.countEvents(batch),
  })
}

interface Batch {
  readonly stream: string
  readonly events: readonly DomainEvent[]
  /** Called unless the same `Idempotency-Key` had recorded the batch before. */
  readonly onRecorded: () => void
}

async function recordBatch(
  context: Context,
  eventContext: EventContext,
  batch: Batch,
): Promise<WriteResult<BatchReceived>> {
  const { account } = eventContext
  const { position, request } = await longWork(context, account, () =>
    appendOnce(context, eventContext, batch),
  )
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
async function appendOnce(
  { events: store, keyring, scheduler }: Context,
  context: EventContext,
  batch: Batch,
): Promise<Recorded> {
  const known = await findRecordedBatch(store, context, batch)
  if (known) return known
  const { stream } = batch
  const events: NewEvent[] = []
  for (const [index, event] of batch.events.entries()) {
    await waitForSpareKeys(keyring)
    await pauseLongWork({ scheduler })
    events.push(encode({ event, context, index }, keyring))
  }
  const answer = await store.append({ stream, events, expected: 'no_stream' })
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
  { stream, events }: Batch,
): Promise<Recorded | undefined> {
  if (digest === undefined) return undefined
  // a shorter batch has no event there; its first one has another digest
  const recorded =
    (await store.readStream(stream, { from: events.length - 1, limit: 1 }))[0] ??
    (await store.readStream(stream, { from: 0, limit: 1 }))[0]
  if (!recorded) return undefined
  const { metadata, position } = decode(recorded)
  if (metadata.digest === digest) return { position, request: metadata.request }
  throw idempotencyKeyReused()
}
