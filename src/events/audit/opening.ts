/** Declares the event `PersonOpened`: a person was shown in clear (streams `opening-{command}`). */

import { subjectKindByListKind } from '../../domain/lists/lists.ts'
import type { EventOf } from '../recording/eventDefinition.ts'
import { nonEmptyString, object, oneOf } from '../recording/eventSchema.ts'
import { personIdKinds } from './erasure.ts'

interface Opened {
  readonly kind?: (typeof personIdKinds)[number]
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
          kind: kind === 'user' ? kind : subjectKindByListKind[kind],
          value: person,
        }),
        schema: nonEmptyString,
        optional: true as const,
      },
    },
  },
}

export type OpeningEvent = EventOf<typeof openingEvents>
