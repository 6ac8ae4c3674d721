/** Declares the events of erasures (streams `subject-{digest}` and `erasure-{id}`). */

import { type Definitions, plain } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { integerFrom, list, object, oneOf, time, word } from '../recording/schema.ts'

/** The subject's data up to this event is unreadable, everywhere and for good: every key that it was sealed under was destroyed before. */
export type ErasureEvent = DomainEvent<
  'SubjectErased',
  {
    /** Keyed digest of the person, as in the metadata of their events. */
    readonly subject: string
    /** The ids of the keys. */
    readonly keys: readonly string[]
  }
>

/** How an erasure names the person. */
export const erasedKinds = ['phone_number', 'email_address', 'user'] as const

/** A person was erased in every area: what was found of them, and where it is on record. Nothing in it is personal. */
export type CertificateEvent = DomainEvent<
  'PersonErased',
  {
    readonly erasure_id: string
    readonly kind: (typeof erasedKinds)[number]
    /** Keyed digest of the number, the address or the user. */
    readonly subject: string
    readonly reason?: string
    /** When all of it was done, in milliseconds since the Unix epoch. */
    readonly erased_at: number
    /** How many keys those erasures destroyed, each counted once. */
    readonly keys: number
    readonly evaluations: number
    readonly dispatches: number
    readonly users: number
    /** Of every `SubjectErased` of the person in the log, those of earlier requests among them. */
    readonly positions: readonly number[]
  }
>

/** The stream of an erasure that was asked for, by its id. */
export function certificateStream(id: string): string {
  return `erasure-${id}`
}

/** The stream of a subject, by its digest. */
export function erasureStream(subject: string): string {
  return `subject-${subject}`
}

const count = integerFrom(0)

export const erasureEvents: Definitions<ErasureEvent | CertificateEvent> = {
  SubjectErased: plain(object({ subject: word, keys: list(word) })),
  PersonErased: plain(
    object(
      {
        erasure_id: word,
        kind: oneOf(erasedKinds),
        subject: word,
        erased_at: time,
        keys: count,
        evaluations: count,
        dispatches: count,
        users: count,
        positions: list(count),
      },
      { reason: word },
    ),
  ),
}
