/** Whom an entry of a list is about. */

import type { EventMetadata } from '../../events/recording/event.ts'

/** The keyed digest of the one person whose data the event holds. Throws when it names nobody. */
export function entrySubject({ subjects = [] }: EventMetadata): string {
  const [subject] = subjects
  if (!subject) throw new Error('an entry of a list is about nobody')
  return subject.digest
}
