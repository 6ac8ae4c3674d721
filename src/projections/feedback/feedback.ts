/** Projects a document for each feedback that was received. */

import type { FeedbackType, TargetType } from '../../domain/evaluation/feedback.ts'
import type { FeedbackEvent, ReportedEvent } from '../../events/feedback/feedback.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { Sealed } from '../../events/recording/sealing.ts'
import { collectionOf, defineProjection, subjectOf } from '../running/projection.ts'

/** By the feedback's id. */
export interface FeedbackDocument {
  readonly account: string
  /** Position in the log. */
  readonly at: number
  /** When it was received, in milliseconds since the Unix epoch. */
  readonly time: number
  readonly type: FeedbackType
  readonly target_type: TargetType
  /** Keyed digest of the target. */
  readonly target_digest: string
  /** Keyed digest of the correlation id; absent without one. */
  readonly correlation_digest?: string
  /** Id of its event, which what is sealed belongs to. */
  readonly event: string
  /** The target, as it is sealed in the log. */
  readonly sealed_target: Sealed
  /** Dispatch id, correlation id and signals, as they are sealed in the log. */
  readonly sealed_context: Sealed
}

const identity = { name: 'feedback', version: 1 } as const
export const feedbackCollection = collectionOf<FeedbackDocument>({
  projection: identity,
  // a digest belongs to one account
  indexes: [
    ['account', 'time'],
    ['account', 'type', 'time'],
    ['target_digest', 'time'],
    ['correlation_digest', 'time'],
  ],
})

export const feedback = defineProjection<FeedbackEvent, FeedbackDocument>({
  ...identity,
  collections: [feedbackCollection],
  handles: ['FeedbackReceived'],
  targets: ({ event }) => [
    { collection: feedbackCollection, id: event.data.feedback_id, once: 'unique' },
  ],
  apply: (_, decoded) => {
    const { event, metadata, position } = decoded
    const { type, target_type, correlation } = event.data
    const { id, target, subject } = sealedOf(decoded)
    return {
      account: metadata.account,
      at: position,
      time: metadata.time,
      type,
      target_type,
      target_digest: subject,
      ...(correlation !== undefined && { correlation_digest: correlation }),
      event: id,
      sealed_target: target,
      // every personal field of a decoded event is sealed
      sealed_context: event.data.context as Sealed,
    }
  },
})

/** Throws for an event that was not read back from the log. */
export function sealedOf({ id, event, metadata }: DecodedEvent<FeedbackEvent | ReportedEvent>): {
  readonly id: string
  readonly target: Sealed
  readonly subject: string
} {
  const { target } = event.data
  const subject = subjectOf(metadata, target)
  if (id === undefined || subject === undefined)
    throw new Error(`${event.type} has no id or target`)
  // a field with a subject is sealed
  return { id, target: target as Sealed, subject }
}
