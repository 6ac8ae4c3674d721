/** The erasure family: streams `subject-{digest}`, of whoever had the personal data about them destroyed. */

import { type Definitions, plain } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { list, object, word } from '../recording/schema.ts'

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

/** The stream of a subject, by its digest. */
export function erasureStream(subject: string): string {
  return `subject-${subject}`
}

export const erasureEvents: Definitions<ErasureEvent> = {
  SubjectErased: plain(object({ subject: word, keys: list(word) })),
}
