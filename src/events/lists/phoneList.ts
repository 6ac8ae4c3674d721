/** Declares the events of phone list entries (streams `phone_list-{digest}`). */

import type { EventOf, SubjectOf } from '../recording/definition.ts'
import { object, oneOf, time, word } from '../recording/schema.ts'

/** The beginning of the name of every such stream. */
export const phoneListPrefix = 'phone_list-'

/** By name, not by the list of those there are: what version 1 holds does not grow with it. */
const list = oneOf(['allow', 'block'])

const ofNumber = ({ phone_number }: { readonly phone_number: string }): SubjectOf => ({
  kind: 'phone',
  value: phone_number,
})

const personal = {
  /** E.164. */
  phone_number: { subject: ofNumber, schema: word },
  reason: { subject: ofNumber, schema: word, optional: true },
} as const

/** Times are in milliseconds since the Unix epoch. */
export const phoneListEvents = {
  PhoneNumberListed: { schema: object({ list, listed_at: time }, { expires_at: time }), personal },
  PhoneNumberUnlisted: { schema: object({ list }), personal },
}

export type PhoneListEvent = EventOf<typeof phoneListEvents>
