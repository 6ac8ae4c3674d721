/** Lists the feedback and events that callers have reported. */

import type { Call, Page, PageRequest } from '../../domain/call.ts'
import {
  confidences,
  type FeedbackType,
  feedbackTypes,
  pickDetails,
  type ReportedTarget,
  targetTypes,
} from '../../domain/evaluation/feedback.ts'
import {
  openObject,
  optional,
  pageSchema,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { subjectKindByListKind } from '../../domain/lists/lists.ts'
import { personal } from '../../domain/shownPersons.ts'
import { feedbackSignalsSchema } from '../../domain/signals/signalSchemas.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import type {
  FeedbackContext,
  FeedbackEvent,
  ReportedEvent,
} from '../../events/feedback/feedbackEvents.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { computeLookupDigest } from '../../events/recording/lookupDigest.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import {
  type FeedbackDocument,
  feedbackCollection,
  type ReportedEventDocument,
  reportedEventCollection,
} from '../../projections/feedback/feedbackProjections.ts'
import type { FoundDocument, Readers } from '../../projections/running/documents.ts'
import { type DocumentSearch, searchPage, type TimeRangeQuery } from '../reading/page.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'

/** The end user of a report; the value is forgotten once they were erased. */
const targetSchema = openObject('SeenTarget', {
  type: { type: 'string', enum: targetTypes },
  value: optional(personal({ type: 'string', description: 'In canonical form.' })),
  forgotten: optional({
    const: true,
    description: 'In place of the value: the end user was erased.',
  }),
})

const positionText = { type: 'string', description: 'Position in the log.' } as const

/** What a report says beside its target; what is personal is absent once it is forgotten. */
const detailFields = {
  evaluation_id: optional(text),
  dispatch_id: optional(personal(text)),
  occurred_at: optional({ ...timeSchema, description: 'Absent where that was not said.' }),
  amount: optional(text),
  currency: optional(text),
  metadata: optional(openObject('ReportMetadata', { correlation_id: personal(text) })),
} as const

const feedbackSchema = openObject('Feedback', {
  id: text,
  received_at: timeSchema,
  type: { type: 'string', enum: feedbackTypes },
  target: targetSchema,
  ...detailFields,
  signals: optional(personal(feedbackSignalsSchema)),
  position: positionText,
})
export type FeedbackView = TypeOf<typeof feedbackSchema>

const reportedEventSchema = openObject('ReportedEvent', {
  id: text,
  reported_at: timeSchema,
  label: text,
  confidence: { type: 'string', enum: confidences },
  target: targetSchema,
  ...detailFields,
  note: optional(personal({ type: 'string', description: 'Of the answer of a review.' })),
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
interface ReportsQuery extends PageRequest, TimeRangeQuery {
  readonly target?: ReportedTarget
  readonly correlationId?: string
}

export interface FeedbackQuery extends ReportsQuery {
  readonly type?: FeedbackType
}

export interface ReportedEventsQuery extends ReportsQuery {
  readonly label?: string
}

type Context = Pick<QueryContext, 'keyring'> &
  HeavyContext<{
    searchFeedback: typeof searchFeedback
    searchReportedEvents: typeof searchReportedEvents
  }>

/** Feedback in the order of time. Throws `invalid_request` for an invalid cursor of the search, `unavailable`. */
export async function listFeedback(
  context: Context,
  call: Call,
  { target, type, correlationId, ...range }: FeedbackQuery,
): Promise<Page<FeedbackView>> {
  const { keyring, heavyQueries } = context
  const page = await heavyQueries.searchFeedback(call.principal, {
    ...range,
    equal: {
      ...equalAbout(context, call, { target, correlationId }),
      ...(type !== undefined && { type }),
    },
  })
  const reports = await openReports(keyring, page.items.map(toFeedbackEvent))
  return { ...page, items: reports.map(toFeedbackView) }
}

/** Same, for events. */
export async function listReportedEvents(
  context: Context,
  call: Call,
  { target, label, correlationId, ...range }: ReportedEventsQuery,
): Promise<Page<ReportedEventView>> {
  const page = await context.heavyQueries.searchReportedEvents(call.principal, {
    ...range,
    equal: {
      ...equalAbout(context, call, { target, correlationId }),
      ...(label !== undefined && { label }),
    },
  })
  const reports = await openReports(context.keyring, page.items.map(toReportedEvent))
  return { ...page, items: reports.map(toReportedEventView) }
}

interface About {
  readonly target: ReportedTarget | undefined
  readonly correlationId: string | undefined
}

/** The fields of the account's reports about the target and with the correlation id, where they are given. */
function equalAbout({ keyring }: Context, { principal }: Call, { target, correlationId }: About) {
  const account = principal.accountId
  const correlation = { kind: 'correlation_id', value: correlationId ?? '' } as const
  return {
    account,
    ...(target && {
      target_digest: keyring.subject(account, subjectKindByListKind[target.type], target.value),
    }),
    ...(correlationId !== undefined && {
      correlation_digest: computeLookupDigest(keyring, account, correlation),
    }),
  }
}

/** Heavy query: feedback as it is stored, personal fields sealed. */
export function searchFeedback(readers: Readers, sought: DocumentSearch<FeedbackDocument>) {
  return searchPage(readers, feedbackCollection, sought)
}

/** Same, for events. */
export function searchReportedEvents(
  readers: Readers,
  sought: DocumentSearch<ReportedEventDocument>,
) {
  return searchPage(readers, reportedEventCollection, sought)
}

type ReportContext = { readonly note?: string }

type ReportEvent = FeedbackEvent | ReportedEvent

/** A reported event of the log, with when it was recorded. */
interface Report<Event extends ReportEvent>
  extends Pick<DecodedEvent<Event>, 'id' | 'event' | 'position'> {
  readonly time: number
}

/** Opens what is personal in the reports, or finds it forgotten. Throws `unavailable` where a key is lost. */
async function openReports<Event extends ReportEvent>(
  keyring: Context['keyring'],
  reports: readonly Report<Event>[],
): Promise<readonly Report<Event>[]> {
  const keys = await keyring.keys([...new Set(reports.flatMap(sealedUnder))])
  return reports.map((report) => openPersonal(report, keys))
}

function toFeedbackEvent({ id, body }: FoundDocument<FeedbackDocument>): Report<FeedbackEvent> {
  const {
    event,
    at,
    time,
    type,
    target_type,
    sealed_target: target,
    sealed_context: context,
  } = body
  const data = { feedback_id: id, type, target_type, ...pickDetails(body), target, context }
  return { id: event, position: at, time, event: { type: 'FeedbackReceived', data } }
}

function toReportedEvent({
  id,
  body,
}: FoundDocument<ReportedEventDocument>): Report<ReportedEvent> {
  const { event, at, time, label, confidence, target_type, sealed_target: target } = body
  const own = { event_id: id, label, confidence, target_type, ...pickDetails(body), target }
  const data = { ...own, ...(body.sealed_context && { context: body.sealed_context }) }
  return { id: event, position: at, time, event: { type: 'EventReported', data } }
}

function toFeedbackView({ event, position, time }: Report<FeedbackEvent>): FeedbackView {
  const { feedback_id: id, type, context: opened } = event.data
  const { signals } = isForgotten(opened) ? {} : (opened as FeedbackContext)
  return {
    id,
    received_at: isoTime(time),
    type,
    ...toDetailsView(event.data),
    ...(signals && { signals }),
    position: String(position),
  }
}

function toReportedEventView({ event, position, time }: Report<ReportedEvent>): ReportedEventView {
  const { event_id: id, label, confidence, context: opened = {} } = event.data
  const { note } = isForgotten(opened) ? {} : (opened as ReportContext)
  return {
    id,
    reported_at: isoTime(time),
    label,
    confidence,
    ...toDetailsView(event.data),
    ...(note !== undefined && { note }),
    position: String(position),
  }
}

/** What both kinds say of a report. */
function toDetailsView({ target_type: type, target, context = {}, ...data }: ReportEvent['data']) {
  const names = isForgotten(context) ? {} : (context as FeedbackContext)
  const { dispatch_id, correlation_id } = names
  const { occurred_at, ...details } = pickDetails(data)
  const seen = isForgotten(target)
    ? ({ type, forgotten: true } as const)
    : { type, value: target as string }
  return {
    target: seen,
    ...details,
    ...(dispatch_id !== undefined && { dispatch_id }),
    ...(occurred_at !== undefined && { occurred_at: isoTime(occurred_at) }),
    ...(correlation_id !== undefined && { metadata: { correlation_id } }),
  }
}
