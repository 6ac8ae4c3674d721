/** Declares the events `SubjectErased` (one subject) and `PersonErased`, and their streams. */

import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { epochMs, integerFrom, list, nonEmptyString, oneOf } from '../recording/eventSchema.ts'

/** How an erasure names the person. */
export const personIdKinds = ['phone_number', 'email_address', 'user'] as const

/** The stream of an erasure that was asked for, by its id. */
export function personErasureStream(id: string): string {
  return `erasure-${id}`
}

export function subjectErasureStream(subject: string): string {
  return `subject-${subject}`
}

const count = integerFrom(0)

/**
 * The subject's data up to this event is unreadable, everywhere and for good: every key that it was sealed under was
 * destroyed before.
 */
export const erasureEvents = {
  /** `subject`: keyed digest of the person, as in the metadata of their events; `keys`: the ids of the keys. */
  SubjectErased: defineNonPersonalEvent({ subject: nonEmptyString, keys: list(nonEmptyString) }),
}

/** A person was erased in every area: what was found of them, and where it is on record. Nothing in it is personal. */
export const personErasureEvents = {
  PersonErased: defineNonPersonalEvent(
    {
      erasure_id: nonEmptyString,
      kind: oneOf(personIdKinds),
      // keyed digest of the number, the address or the user
      subject: nonEmptyString,
      // when all of it was done, in milliseconds since the Unix epoch
      erased_at: epochMs,
      // how many keys those erasures destroyed, each counted once
      keys: count,
      evaluations: count,
      dispatches: count,
      users: count,
      // of every `SubjectErased` of the person in the log, those of earlier requests among them
      positions: list(count),
    },
    { reason: nonEmptyString },
  ),
}

export type ErasureEvent = EventOf<typeof erasureEvents>
export type PersonErasureEvent = EventOf<typeof personErasureEvents>
