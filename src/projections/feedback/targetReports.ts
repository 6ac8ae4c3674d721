/** Projects the last reports on each end user and on each evaluation that reports name. */

/**
 * A report that names an evaluation is of that one alone. Every other one is of the end user: an evaluation was
 * followed by those that happened later, so it is joined with the document of its target, however much was reported.
 */

import type { Confidence } from '../../domain/evaluation/feedback.ts'
import type { ErasureEvent } from '../../events/audit/erasure.ts'
import type { FeedbackEvent, ReportedEvent } from '../../events/feedback/feedbackEvents.ts'
import { defineCollection, defineProjection } from '../running/projection.ts'
import { readTargetDigest } from './feedbackProjections.ts'

/** When something happened, in milliseconds since the Unix epoch; at the same time its position in the log decides. */
export interface Moment {
  readonly time: number
  readonly at: number
}

export function isEarlier(one: Moment, other: Moment): boolean {
  return one.time < other.time || (one.time === other.time && one.at < other.at)
}

/**
 * Whether it happened later. What was told as it happened follows all before it in the log, however clocks differ; with
 * what is imported the log does not tell.
 */
export function isLater(
  { time, at, reported }: Omit<TargetReport, 'count'>,
  than: Moment & { readonly imported?: true },
) {
  return time === reported && !than.imported ? at > than.at : isEarlier(than, { time, at })
}

/** By the keyed digest of the target, or by the id of the evaluation that is named. */
export interface TargetReportsDocument {
  readonly account: string
  /** The kinds of reports in the order in which their last one happened; at most 100. */
  readonly reports: readonly TargetReport[]
  /** The last report of a dropped kind; absent while none was dropped. */
  readonly dropped?: Moment
  /** Position of the last erasure: data of earlier events is forgotten. */
  readonly erased_at?: number
}

/** The last one of its kind: when it happened, which is when it was reported unless that was said. */
export interface TargetReport extends Moment {
  readonly kind: 'feedback' | 'event'
  /** The type of the feedback, or the label of the event. */
  readonly name: string
  /** Of an event: those of another confidence are of another kind. */
  readonly confidence?: Confidence
  /** How many there were. */
  readonly count: number
  /** When it was received, in milliseconds since the Unix epoch. */
  readonly reported: number
}

/** Bounds the document, since callers choose the labels. */
const kindsMax = 100

const identity = { name: 'targets', version: 2 } as const
export const targetReportsCollection = defineCollection<TargetReportsDocument>({
  projection: identity,
})

type Event = FeedbackEvent | ReportedEvent | ErasureEvent

export const targetReportsProjection = defineProjection<Event, TargetReportsDocument>({
  ...identity,
  collections: [targetReportsCollection],
  eventTypes: ['FeedbackReceived', 'EventReported', 'SubjectErased'],
  targets: ({ event, metadata }) => {
    const id =
      event.type === 'SubjectErased'
        ? event.data.subject
        : (event.data.evaluation_id ?? readTargetDigest({ event, metadata }))
    return [{ collection: targetReportsCollection, id }]
  },
  apply: (document, { event, metadata: { account, time: reported }, position: at }) => {
    const known: TargetReportsDocument = document ?? { account, reports: [] }
    if (event.type === 'SubjectErased') return { ...known, erased_at: at }
    const { occurred_at: time = reported } = event.data
    return withReport(known, { ...toKind(event), time, at, reported })
  },
})

function toKind(
  event: FeedbackEvent | ReportedEvent,
): Pick<TargetReport, 'kind' | 'name' | 'confidence'> {
  if (event.type === 'FeedbackReceived') return { kind: 'feedback', name: event.data.type }
  const { label, confidence } = event.data
  return { kind: 'event', name: label, confidence }
}

function withReport(
  document: TargetReportsDocument,
  report: Omit<TargetReport, 'count'>,
): TargetReportsDocument {
  const isSame = ({ kind, name, confidence }: TargetReport) =>
    kind === report.kind && name === report.name && confidence === report.confidence
  const before = document.reports.find(isSame)
  // what is told late may have happened before what is known
  const last = before && !isLater(report, before) ? before : report
  const reports = [
    ...document.reports.filter((one) => !isSame(one)),
    { ...last, count: (before?.count ?? 0) + 1 },
  ].sort((one, other) => (isEarlier(one, other) ? -1 : 1))
  const [oldest] = reports
  if (reports.length <= kindsMax || !oldest) return { ...document, reports }
  const { dropped = oldest } = document
  const { time, at } = isEarlier(dropped, oldest) ? oldest : dropped
  return { ...document, reports: reports.slice(1), dropped: { time, at } }
}
