/** The target of what was reported, as it is sealed, and whose it is. */

import type { FeedbackEvent, ReportedEvent } from '../../events/feedback/feedback.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { Sealed } from '../../events/recording/sealing.ts'
import { subjectOf } from '../running/subjectOf.ts'

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
  // what has a subject is sealed
  return { id, target: target as Sealed, subject }
}
