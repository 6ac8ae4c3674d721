/** Projects the keys that seal the personal data of each subject, which an erasure destroys. */

import { versions } from '../../events/catalogue.ts'
import type { DomainEvent } from '../../events/recording/event.ts'
import { collectionOf, defineProjection } from '../running/projection.ts'

/** By `{subject digest}/{key id}`, which says it all: a subject's keys are found by prefix. */
export type SubjectKeyDocument = Readonly<Record<string, never>>

const nothingElse: SubjectKeyDocument = {}

const identity = { name: 'subject_keys', version: 2 } as const
export const subjectKeyCollection = collectionOf<SubjectKeyDocument>({ projection: identity })

export const subjectKeys = defineProjection<DomainEvent, SubjectKeyDocument>({
  ...identity,
  collections: [subjectKeyCollection],
  // Every type there is, since whatever comes to hold personal data must be found here; but the evaluations, which are found by the
  // digests of their own documents: two more rows for each would be half of what they cost.
  handles: [...versions.keys()].filter((type) => type !== 'FlowEvaluated'),
  targets: ({ metadata: { subjects = [] } }) =>
    subjects.map(({ digest, key }) => ({
      collection: subjectKeyCollection,
      id: `${digest}/${key}`,
      once: 'recurring',
    })),
  apply: () => nothingElse,
})
