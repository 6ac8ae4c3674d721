/** Declares that persons were shown in clear, at most once an hour (streams `opening-{command}`). */

import type { EventOf } from '../recording/eventDefinition.ts'
import { nonEmptyString, object, oneOf } from '../recording/eventSchema.ts'
import type { SubjectKind } from '../recording/sealing.ts'
import { personIdKinds } from './erasure.ts'

type PersonIdKind = (typeof personIdKinds)[number]

const subjectKinds: Readonly<Record<PersonIdKind, SubjectKind>> = {
  phone_number: 'phone',
  email_address: 'email',
  user: 'user',
}

interface Opened {
  readonly kind?: PersonIdKind
  readonly person?: string
}

/** The stream of the one event of a command. */
export const openingStream = (command: string): string => `opening-${command}`

export const openingEvents = {
  /**
   * The actor of the metadata was shown a person by an operation of the API; `screen`: in the console. Without a
   * `person` it was an answer about many.
   */
  PersonOpened: {
    schema: object(
      { operation: nonEmptyString },
      { screen: nonEmptyString, kind: oneOf(personIdKinds) },
    ),
    personal: {
      /** In canonical form; a user by their id. */
      person: {
        subject: ({ kind = 'user', person = '' }: Opened) => ({
          kind: subjectKinds[kind],
          value: person,
        }),
        schema: nonEmptyString,
        optional: true as const,
      },
    },
  },
}

export type OpeningEvent = EventOf<typeof openingEvents>
