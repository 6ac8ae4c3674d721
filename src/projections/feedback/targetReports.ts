/** Projects the last reports on each end user, and whether they were erased. */

/*
 * An evaluation was followed by the reports later in the log: so it is joined with the document of its target, however much was reported.
 */

import type { Confidence } from '../../domain/evaluation/feedback.ts'
import type { ErasureEvent } from '../../events/audit/erasure.ts'
import type { FeedbackEvent, ReportedEvent } from '../../events/feedback/feedbackEvents.ts'
import { defineCollection, defineProjection } from '../running/projection.ts'
import { readTargetDigest } from './feedbackProjections.ts'

/** By the keyed digest of the target. */
export interface TargetReportsDocument {
  readonly account: string
  /** The kinds of reports in the order of their last report; at most 100. */
  readonly reports: readonly TargetReport[]
  /** Position of the last report of a dropped kind; absent while none was dropped. */
  readonly dropped_at?: number
  /** Position of the last erasure: data of earlier events is forgotten. */
  readonly erased_at?: number
}

interface TargetReport {
  readonly kind: 'feedback' | 'event'
  /** The type of the feedback, or the label of the event. */
  readonly name: string
  /** Of the last such event. */
  readonly confidence?: Confidence
  /** How many there were. */
  readonly count: number
  /** Of the last one: its position in the log, and its time in milliseconds since the Unix epoch. */
  readonly last_at: number
  readonly last_time: number
}

/** Bounds the document, since callers choose the labels. */
const kindsMax = 100

const identity = { name: 'targets', version: 1 } as const
export const targetReportsCollection = defineCollection<TargetReportsDocument>({
  projection: identity,
})

type Event = FeedbackEvent | ReportedEvent | ErasureEvent

export const targetReportsProjection = defineProjection<Event, TargetReportsDocument>({
  ...identity,
  collections: [targetReportsCollection],
  eventTypes: ['FeedbackReceived', 'EventReported', 'SubjectErased'],
  targets: ({ event, metadata }) => {
    const isErasure = event.type === 'SubjectErased'
    const id = isErasure ? event.data.subject : readTargetDigest({ event, metadata })
    return [{ collection: targetReportsCollection, id }]
  },
  apply: (document, decoded) => {
    const { event, metadata, position } = decoded
    const { account } = metadata
    const known: TargetReportsDocument = document ?? { account, reports: [] }
    if (event.type === 'SubjectErased') return { ...known, erased_at: position }
    return withReport(known, { ...toKind(event), last_at: position, last_time: metadata.time })
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
  last: Omit<TargetReport, 'count'>,
): TargetReportsDocument {
  const isSame = ({ kind, name }: TargetReport) => kind === last.kind && name === last.name
  const before = document.reports.find(isSame)
  const reports = [
    ...document.reports.filter((report) => !isSame(report)),
    { ...last, count: (before?.count ?? 0) + 1 },
  ]
  const [oldest] = reports
  if (reports.length <= kindsMax || !oldest) return { ...document, reports }
  const dropped_at = Math.max(document.dropped_at ?? 0, oldest.last_at)
  return { ...document, reports: reports.slice(1), dropped_at }
}
