/** Finds the subject digest of a personal field of an event. */

import type { EventMetadata } from '../../events/recording/event.ts'
import { isSealed } from '../../events/recording/sealing.ts'

/** The subject's keyed digest, for a field as it is in the log; undefined for an absent one. Throws for a field of no subject. */
export function subjectOf(
  { subjects = [] }: Pick<EventMetadata, 'subjects'>,
  field: unknown,
): string | undefined {
  if (field === undefined) return undefined
  const subject = isSealed(field) && subjects.find(({ key }) => key === field.sealed.key)
  if (!subject) throw new Error('a personal field is sealed under no key of the event')
  return subject.digest
}
