/** Receives what callers report, batch by batch. */

import { recordBatch } from '../../commands/feedback/recordBatch.ts'
import { whenKeysAreSpare } from '../../commands/handling/whenKeysAreSpare.ts'
import type { Call, Written } from '../../domain/call.ts'
import { derivedIdAt } from '../../domain/ids.ts'
import { longWork, pause } from '../../domain/longWork.ts'
import { decode, encode } from '../../events/catalogue.ts'
import type {
  EventReported,
  FeedbackContext,
  FeedbackEvent,
  ReportedEvent,
} from '../../events/feedback/feedback.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import { lookupDigest } from '../../events/recording/lookupDigest.ts'
import type { ReportMeter } from '../../metrics/reportMeter.ts'
import { eventContextOf, type ServiceContext } from '../opening/serviceContext.ts'
import type {
  BatchReceived,
  FeedbackInput,
  FeedbackPart,
  ReportedEventInput,
} from './feedbackPart.ts'

/** Receives feedback. */
export function openSendFeedback(
  context: ServiceContext,
  onReceived: ReportMeter['feedback'],
): FeedbackPart['sendFeedback'] {
  return receiving<FeedbackInput>(context, {
    operation: 'feedback.send',
    stream: 'feedback',
    onReceived,
    factOf: (input, eventContext, index): FeedbackEvent => ({
      type: 'FeedbackReceived',
      data: {
        feedback_id: derivedIdAt('fbk', eventContext.command, index),
        type: input.type,
        target_type: input.target.type,
        ...correlationOf(context, eventContext, input),
        target: input.target.value,
        context: contextOf(input),
      },
    }),
  })
}

/** Receives events. */
export function openReportEvents(
  context: ServiceContext,
  onReceived: ReportMeter['events'],
): FeedbackPart['reportEvents'] {
  return receiving<ReportedEventInput>(context, {
    operation: 'events.report',
    stream: 'reported_event',
    onReceived,
    factOf: (input, eventContext, index): ReportedEvent => ({
      type: 'EventReported',
      data: eventData(input, derivedIdAt('evt', eventContext.command, index)),
    }),
  })
}

function eventData({ target, label, confidence }: ReportedEventInput, id: string): EventReported {
  return { event_id: id, label, confidence, target_type: target.type, target: target.value }
}

function contextOf({ dispatch_id, correlation_id, signals }: FeedbackInput): FeedbackContext {
  return {
    ...(dispatch_id !== undefined && { dispatch_id }),
    ...(correlation_id !== undefined && { correlation_id }),
    ...(signals !== undefined && { signals }),
  }
}

function correlationOf(
  { keyring }: ServiceContext,
  { account }: EventContext,
  { correlation_id }: FeedbackInput,
): { readonly correlation?: string } {
  if (correlation_id === undefined) return {}
  return {
    correlation: lookupDigest(keyring, account, { kind: 'correlation_id', value: correlation_id }),
  }
}

interface Receiving<Input> {
  readonly operation: string
  /** What the names of its streams begin with. */
  readonly stream: string
  readonly onReceived: (received: readonly Input[]) => void
  readonly factOf: (
    input: Input,
    context: EventContext,
    index: number,
  ) => FeedbackEvent | ReportedEvent
}

function receiving<Input>(
  context: ServiceContext,
  { operation, stream, onReceived, factOf }: Receiving<Input>,
): (call: Call, batch: readonly Input[]) => Promise<Written<BatchReceived>> {
  const { events: store, keyring, projections } = context
  return async (call, batch) => {
    const account = call.principal.accountId
    const intention = { account, operation, input: batch, ownStream: true }
    const eventContext = eventContextOf(context, call, intention)
    const writer = {
      store,
      decode,
      encode: async (event: DomainEvent, of: EventContext, index: number) => {
        await whenKeysAreSpare(keyring)
        await pause()
        return encode({ event, context: of, index }, keyring)
      },
    }
    const { position, request, repeated } = await longWork(account, () =>
      recordBatch(writer, {
        stream: `${stream}-${eventContext.command}`,
        context: eventContext,
        events: batch.map((input, index) => factOf(input, eventContext, index)),
      }),
    )
    if (!repeated) onReceived(batch)
    const visible = projections.position() >= position
    return { value: { status: 'success', request_id: request }, position, visible }
  }
}
