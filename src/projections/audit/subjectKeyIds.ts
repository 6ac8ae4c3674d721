/** Projects the ids of each subject's sealing keys, except those of evaluations. */

import { versions } from '../../events/catalogue.ts'
import type { DomainEvent } from '../../events/recording/event.ts'
import type { UserEvent } from '../../events/sessions/user.ts'
import { defineCollection, defineProjection } from '../running/projection.ts'

/** By `{subject digest}/{key id}`: a subject's keys are found by prefix. */
export interface SubjectKeyIdDocument {
  /**
   * Of the identifiers of a user: they are erased with the number or the address, and the user is deleted with them.
   */
  readonly user_id?: string
}

const noFields: SubjectKeyIdDocument = {}

const identity = { name: 'subject_keys', version: 3 } as const
export const subjectKeyIdCollection = defineCollection<SubjectKeyIdDocument>({
  projection: identity,
})

export const subjectKeyIdsProjection = defineProjection<DomainEvent, SubjectKeyIdDocument>({
  ...identity,
  collections: [subjectKeyIdCollection],
  // every event type, since any may contain personal data; but evaluations are found by the digests of their own
  // documents: two more rows for each would be half of their cost
  eventTypes: [...versions.keys()].filter((type) => type !== 'FlowEvaluated'),
  targets: ({ metadata: { subjects = [] } }) =>
    subjects.map(({ digest, key }) => ({
      collection: subjectKeyIdCollection,
      id: `${digest}/${key}`,
      once: 'recurring',
    })),
  apply: (_, { event }) =>
    event.type === 'UserCreated'
      ? { user_id: (event as Extract<UserEvent, { type: 'UserCreated' }>).data.user_id }
      : noFields,
})
