/** Projects a document for each event that a caller has reported. */

import type { Confidence, TargetType } from '../../domain/evaluation/feedback.ts'
import type { ReportedEvent } from '../../events/feedback/feedback.ts'
import type { Sealed } from '../../events/recording/sealing.ts'
import { collectionOf, defineProjection } from '../running/projection.ts'
import { sealedOf } from './feedback.ts'

/** By the event's id. */
export interface ReportedEventDocument {
  readonly account: string
  /** Position in the log. */
  readonly at: number
  /** When it was reported, in milliseconds since the Unix epoch. */
  readonly time: number
  readonly label: string
  readonly confidence: Confidence
  readonly target_type: TargetType
  /** Keyed digest of the target. */
  readonly target_digest: string
  /** Id of its event in the log, which what is sealed belongs to. */
  readonly event: string
  /** The target, as it is sealed in the log. */
  readonly sealed_target: Sealed
}

const identity = { name: 'reported_events', version: 1 } as const
export const reportedEventCollection = collectionOf<ReportedEventDocument>({
  projection: identity,
  // a digest belongs to one account
  indexes: [
    ['account', 'time'],
    ['account', 'label', 'time'],
    ['target_digest', 'time'],
  ],
})

export const reportedEvents = defineProjection<ReportedEvent, ReportedEventDocument>({
  ...identity,
  collections: [reportedEventCollection],
  handles: ['EventReported'],
  targets: ({ event }) => [
    { collection: reportedEventCollection, id: event.data.event_id, once: 'unique' },
  ],
  apply: (_, decoded) => {
    const { event, metadata, position } = decoded
    const { label, confidence, target_type } = event.data
    const { id, target, subject } = sealedOf(decoded)
    return {
      account: metadata.account,
      at: position,
      time: metadata.time,
      label,
      confidence,
      target_type,
      target_digest: subject,
      event: id,
      sealed_target: target,
    }
  },
})
