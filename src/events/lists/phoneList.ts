/** Declares the events of phone list entries (streams `phone_list-{digest}`). */

import type { DataSubject, EventOf } from '../recording/eventDefinition.ts'
import { epochMs, nonEmptyString, object, oneOf } from '../recording/eventSchema.ts'

/** The beginning of the name of every such stream. */
export const phoneListStreamPrefix = 'phone_list-'

/** By name, not by the list of those there are: what version 1 holds does not grow with it. */
const list = oneOf(['allow', 'block'])

const ofNumber = ({ phone_number }: { readonly phone_number: string }): DataSubject => ({
  kind: 'phone',
  value: phone_number,
})

const personal = {
  /** E.164. */
  phone_number: { subject: ofNumber, schema: nonEmptyString },
  reason: { subject: ofNumber, schema: nonEmptyString, optional: true },
} as const

/** Times are in milliseconds since the Unix epoch. */
export const phoneListEvents = {
  PhoneNumberListed: {
    schema: object({ list, listed_at: epochMs }, { expires_at: epochMs }),
    personal,
  },
  PhoneNumberUnlisted: { schema: object({ list }), personal },
}

export type PhoneListEvent = EventOf<typeof phoneListEvents>
