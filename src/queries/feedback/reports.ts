/** Lists the feedback and events that callers have reported. */

import type { Call, Page, PageRequest, Seen } from '../../domain/call.ts'
import {
  confidences,
  type FeedbackType,
  feedbackTypes,
  type ReportedTarget,
  type TargetType,
  targetTypes,
} from '../../domain/evaluation/feedback.ts'
import {
  openObject,
  optional,
  pageSchema,
  type TypeOf,
  text,
  timeText,
} from '../../domain/schema.ts'
import { feedbackSignalsSchema } from '../../domain/signals/signalSchemas.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
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
import { type FeedbackDocument, feedbackCollection } from '../../projections/feedback/feedback.ts'
import {
  type ReportedEventDocument,
  reportedEventCollection,
} from '../../projections/feedback/reportedEvents.ts'
import type { QueryContext } from '../reading/context.ts'
import type { Found, Readers } from '../reading/documents.ts'
import { reached } from '../reading/reached.ts'
import { type Search, searchPage, type TimeAsked } from '../reading/searchPage.ts'

/** The end user of a report; the value is forgotten once they were erased. */
const targetSchema = openObject('SeenTarget', {
  type: { type: 'string', enum: targetTypes },
  value: optional({ type: 'string', description: 'In canonical form.' }),
  forgotten: optional({
    const: true,
    description:
      'In place of the value: the end user was erased, and all that is personal with them.',
  }),
})

const positionText = { type: 'string', description: 'Its place in the log.' } as const

/** Feedback that was received; what is personal in it is absent once it is forgotten. */
const feedbackSchema = openObject('Feedback', {
  id: text,
  received_at: timeText,
  type: { type: 'string', enum: feedbackTypes },
  target: targetSchema,
  dispatch_id: optional(text),
  metadata: optional(openObject('FeedbackMetadata', { correlation_id: text })),
  signals: optional(feedbackSignalsSchema),
  position: positionText,
})
export type FeedbackView = TypeOf<typeof feedbackSchema>

/** An event that was reported. */
const reportedEventSchema = openObject('ReportedEvent', {
  id: text,
  reported_at: timeText,
  label: text,
  confidence: { type: 'string', enum: confidences },
  target: targetSchema,
  position: positionText,
})
export type ReportedEventView = TypeOf<typeof reportedEventSchema>

export const feedbackListSchema = pageSchema('FeedbackList', 'feedbacks', feedbackSchema)
export const reportedEventListSchema = pageSchema(
  'ReportedEventList',
  'events',
  reportedEventSchema,
)

/** Which reports are wanted; canonical. */
interface ReportsAsked extends PageRequest, TimeAsked {
  readonly target?: ReportedTarget
}

export interface FeedbackAsked extends ReportsAsked {
  readonly type?: FeedbackType
  readonly correlationId?: string
}

export interface ReportedEventsAsked extends ReportsAsked {
  readonly label?: string
}

type Context = Pick<QueryContext, 'keyring' | 'heavyReads' | 'projections'>

/** Feedback in the order of time. Throws `invalid_request` for an invalid cursor of the search, `unavailable`. */
export async function listFeedback(
  context: Context,
  { principal }: Call,
  { minPosition, target, type, correlationId, ...asked }: FeedbackAsked,
): Promise<Seen<Page<FeedbackView>>> {
  const { keyring, heavyReads } = context
  const position = await reached(context, minPosition)
  const account = principal.accountId
  const correlation = { kind: 'correlation_id', value: correlationId ?? '' } as const
  const page = await heavyReads.ask(principal, searchFeedback, {
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

/** Same, for events. */
export async function listReportedEvents(
  context: Context,
  { principal }: Call,
  { minPosition, target, label, ...asked }: ReportedEventsAsked,
): Promise<Seen<Page<ReportedEventView>>> {
  const { keyring, heavyReads } = context
  const position = await reached(context, minPosition)
  const account = principal.accountId
  const page = await heavyReads.ask(principal, searchReportedEvents, {
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

/** Feedback as it is stored, personal fields sealed. */
export function searchFeedback(
  readers: Readers,
  sought: Search<FeedbackDocument>,
): Promise<Page<Found<FeedbackDocument>>> {
  return searchPage(readers, feedbackCollection, sought)
}

/** Same, for events. */
export function searchReportedEvents(
  readers: Readers,
  sought: Search<ReportedEventDocument>,
): Promise<Page<Found<ReportedEventDocument>>> {
  return searchPage(readers, reportedEventCollection, sought)
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

function targetView({
  target_type,
  target,
}: FeedbackReceived | EventReported): FeedbackView['target'] {
  const value = clear<string>(target)
  return value === undefined ? { type: target_type, forgotten: true } : { type: target_type, value }
}

/** The value of a field that was opened; undefined once it is forgotten. */
function clear<Value>(field: Personal<Value>): Value | undefined {
  const isForgotten = typeof field === 'object' && field !== null && 'forgotten' in field
  return isForgotten ? undefined : (field as Value)
}
