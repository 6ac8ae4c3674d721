/** Projects the ids of each subject's sealing keys, except those of evaluations. */

import { versions } from '../../events/catalogue.ts'
import type { DomainEvent } from '../../events/recording/event.ts'
import { defineCollection, defineProjection } from '../running/projection.ts'

/** By `{subject digest}/{key id}`, without fields: a subject's keys are found by prefix. */
export type SubjectKeyIdDocument = Readonly<Record<string, never>>

const noFields: SubjectKeyIdDocument = {}

const identity = { name: 'subject_keys', version: 2 } as const
export const subjectKeyIdCollection = defineCollection<SubjectKeyIdDocument>({
  projection: identity,
})

export const subjectKeyIdsProjection = defineProjection<DomainEvent, SubjectKeyIdDocument>({
  ...identity,
  collections: [subjectKeyIdCollection],
  // every event type, since any may contain personal data; but evaluations are found by the digests of their own documents: two more
  // rows for each would be half of their cost
  eventTypes: [...versions.keys()].filter((type) => type !== 'FlowEvaluated'),
  targets: ({ metadata: { subjects = [] } }) =>
    subjects.map(({ digest, key }) => ({
      collection: subjectKeyIdCollection,
      id: `${digest}/${key}`,
      once: 'recurring',
    })),
  apply: () => noFields,
})
