/** Projects each received feedback and each reported event into a document. */

import type { Confidence, FeedbackType, TargetType } from '../../domain/evaluation/feedback.ts'
import type {
  FeedbackEvent,
  RecordedDetails,
  ReportedEvent,
} from '../../events/feedback/feedbackEvents.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { SealedValue } from '../../events/recording/sealing.ts'
import {
  type DocumentCollection,
  defineCollection,
  defineProjection,
  readSubjectDigest,
  targetOnce,
} from '../running/projection.ts'

/** What a report says in clear stands in it as it is recorded. */
interface ReportDocument extends Omit<RecordedDetails, 'correlation'> {
  readonly account: string
  /** Position in the log. */
  readonly at: number
  /** When it was received, in milliseconds since the Unix epoch. */
  readonly time: number
  readonly target_type: TargetType
  /** Keyed digest of the target. */
  readonly target_digest: string
  /** Id of its event in the log, which what is sealed belongs to. */
  readonly event: string
  /** The target, as it is sealed in the log. */
  readonly sealed_target: SealedValue
  /** Keyed digest of the correlation id; absent without one. */
  readonly correlation_digest?: string
}

/** By the feedback's id. */
export interface FeedbackDocument extends ReportDocument {
  readonly type: FeedbackType
  /** Dispatch id, correlation id and signals, as they are sealed in the log. */
  readonly sealed_context: SealedValue
}

/** By the event's id. */
export interface ReportedEventDocument extends ReportDocument {
  readonly label: string
  readonly confidence: Confidence
  /** Dispatch id and correlation id, as they are sealed in the log; absent without any. */
  readonly sealed_context?: SealedValue
}

const feedbackIdentity = { name: 'feedback', version: 3 } as const
export const feedbackCollection = defineCollection<FeedbackDocument>({
  projection: feedbackIdentity,
  // a digest belongs to one account
  indexes: [
    ['account', 'time'],
    ['account', 'type', 'time'],
    ['target_digest', 'time'],
    ['correlation_digest', 'time'],
  ],
})

export const feedbackProjection = defineProjection<FeedbackEvent, FeedbackDocument>({
  ...feedbackIdentity,
  collections: [feedbackCollection],
  eventTypes: ['FeedbackReceived'],
  targets: ({ event }) => [targetOnce(feedbackCollection, event.data.feedback_id)],
  apply: (_, decoded) => {
    const { feedback_id, type, target_type, target, context, ...details } = decoded.event.data
    return {
      ...buildReport(decoded, details),
      type,
      // every personal field of a decoded event is sealed
      sealed_context: context as SealedValue,
    }
  },
})

const eventIdentity = { name: 'reported_events', version: 3 } as const
export const reportedEventCollection = defineCollection<ReportedEventDocument>({
  projection: eventIdentity,
  indexes: [
    ['account', 'time'],
    ['account', 'label', 'time'],
    ['target_digest', 'time'],
    ['correlation_digest', 'time'],
  ],
})

export const reportedEventsProjection = defineProjection<ReportedEvent, ReportedEventDocument>({
  ...eventIdentity,
  collections: [reportedEventCollection],
  eventTypes: ['EventReported'],
  targets: ({ event }) => [targetOnce(reportedEventCollection, event.data.event_id)],
  apply: (_, decoded) => {
    const { event_id, label, confidence, target_type, target, context, ...details } =
      decoded.event.data
    return {
      ...buildReport(decoded, details),
      label,
      confidence,
      ...(context && { sealed_context: context as SealedValue }),
    }
  },
})

/** Of both kinds of reports. */
export const reportCollections: readonly DocumentCollection<ReportDocument>[] = [
  feedbackCollection,
  reportedEventCollection,
]

function buildReport(
  decoded: DecodedEvent<FeedbackEvent | ReportedEvent>,
  { correlation, ...details }: RecordedDetails,
): ReportDocument {
  const { id, event, metadata, position: at } = decoded
  const { target_type, target } = event.data
  if (id === undefined) throw new Error(`${event.type} was not read from the log`)
  return {
    account: metadata.account,
    at,
    time: metadata.time,
    target_type,
    target_digest: readTargetDigest(decoded),
    event: id,
    sealed_target: target as SealedValue,
    ...details,
    ...(correlation !== undefined && { correlation_digest: correlation }),
  }
}

/** The keyed digest of the target of a report. Throws for an event that was not read from the log. */
export function readTargetDigest({
  event,
  metadata,
}: Pick<DecodedEvent<FeedbackEvent | ReportedEvent>, 'event' | 'metadata'>): string {
  const digest = readSubjectDigest(metadata, event.data.target)
  if (digest === undefined) throw new Error(`${event.type} has no target`)
  return digest
}
