/** What callers have reported, as they reported it. */

import type { ReportedTarget, TargetType } from '../../domain/feedback.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import type {
  EventReported,
  FeedbackContext,
  FeedbackEvent,
  FeedbackReceived,
  ReportedEvent,
} from '../../events/feedback/feedback.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { lookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Keyring, Personal } from '../../events/recording/sealing.ts'
import type { FeedbackDocument } from '../../projections/feedback/feedback.ts'
import type { ReportedEventDocument } from '../../projections/feedback/reportedEvents.ts'
import type { Found } from '../../queries/reading/documents.ts'
import { reached } from '../../queries/reading/reached.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { FeedbackPart, FeedbackView, ReportedEventView, TargetView } from './feedbackPart.ts'

/** Lists feedback. */
export function openListFeedback(context: ServiceContext): FeedbackPart['listFeedback'] {
  const { keyring, heavyReads } = context
  return async ({ principal }, { minPosition, target, type, correlationId, ...asked }) => {
    const position = await reached(context, minPosition)
    const account = principal.accountId
    const correlation = { kind: 'correlation_id', value: correlationId ?? '' } as const
    const page = await heavyReads.ask(principal, 'searchFeedback', {
      ...asked,
      equal: {
        account,
        ...targetDigest(keyring, account, target),
        ...(type !== undefined && { type }),
        ...(correlationId !== undefined && {
          correlation_digest: lookupDigest(keyring, account, correlation),
        }),
      },
    })
    const items = await opened(keyring, page.items.map(feedbackOf))
    return { value: { ...page, items: items.map(feedbackView) }, position }
  }
}

/** Lists events. */
export function openListReportedEvents(
  context: ServiceContext,
): FeedbackPart['listReportedEvents'] {
  const { keyring, heavyReads } = context
  return async ({ principal }, { minPosition, target, label, ...asked }) => {
    const position = await reached(context, minPosition)
    const account = principal.accountId
    const page = await heavyReads.ask(principal, 'searchReportedEvents', {
      ...asked,
      equal: {
        account,
        ...targetDigest(keyring, account, target),
        ...(label !== undefined && { label }),
      },
    })
    const items = await opened(keyring, page.items.map(eventOf))
    return { value: { ...page, items: items.map(reportedEventView) }, position }
  }
}

const kinds = { phone_number: 'phone', email_address: 'email' } as const satisfies Record<
  TargetType,
  string
>

function targetDigest(
  { subject }: Pick<Keyring, 'subject'>,
  account: string,
  target: ReportedTarget | undefined,
): { readonly target_digest?: string } {
  return target ? { target_digest: subject(account, kinds[target.type], target.value) } : {}
}

/** The fact that a document was made of, with when it was recorded. */
interface Fact<Event extends FeedbackEvent | ReportedEvent>
  extends Pick<DecodedEvent<Event>, 'id' | 'event' | 'position'> {
  readonly time: number
}

function feedbackOf({ id, body }: Found<FeedbackDocument>): Fact<FeedbackEvent> {
  const { event, at, time, type, target_type, sealed_target, sealed_context } = body
  const sealed = { target: sealed_target, context: sealed_context }
  const data = { feedback_id: id, type, target_type, ...sealed }
  return { id: event, position: at, time, event: { type: 'FeedbackReceived', data } }
}

function eventOf({ id, body }: Found<ReportedEventDocument>): Fact<ReportedEvent> {
  const { event, at, time, label, confidence, target_type, sealed_target: target } = body
  const data = { event_id: id, label, confidence, target_type, target }
  return { id: event, position: at, time, event: { type: 'EventReported', data } }
}

/** What is personal in them opened, or forgotten. Throws `unavailable` where a key is lost. */
async function opened<One extends Fact<FeedbackEvent | ReportedEvent>>(
  keyring: Pick<Keyring, 'keys'>,
  facts: readonly One[],
): Promise<readonly One[]> {
  const keys = await keyring.keys([...new Set(facts.flatMap(sealedUnder))])
  return facts.map((fact) => openPersonal(fact, keys))
}

function feedbackView({ event, position, time }: Fact<FeedbackEvent>): FeedbackView {
  const { feedback_id, type } = event.data
  const { correlation_id, ...context } = clear<FeedbackContext>(event.data.context) ?? {}
  return {
    id: feedback_id,
    received_at: isoTime(time),
    type,
    target: targetView(event.data),
    ...context,
    ...(correlation_id !== undefined && { metadata: { correlation_id } }),
    position: String(position),
  }
}

function reportedEventView({ event, position, time }: Fact<ReportedEvent>): ReportedEventView {
  const { event_id, label, confidence } = event.data
  return {
    id: event_id,
    reported_at: isoTime(time),
    label,
    confidence,
    target: targetView(event.data),
    position: String(position),
  }
}

function targetView({ target_type, target }: FeedbackReceived | EventReported): TargetView {
  const value = clear<string>(target)
  return value === undefined ? { type: target_type, forgotten: true } : { type: target_type, value }
}

/** The value of a field that was opened; undefined once it is forgotten. */
function clear<Value>(field: Personal<Value>): Value | undefined {
  const isForgotten = typeof field === 'object' && field !== null && 'forgotten' in field
  return isForgotten ? undefined : (field as Value)
}
