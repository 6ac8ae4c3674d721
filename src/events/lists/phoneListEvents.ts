/** The event types of the family of phone lists, as the catalogue needs them. */

import type { Definitions, SubjectOf } from '../recording/definition.ts'
import { object, oneOf, time, word } from '../recording/schema.ts'
import type { PhoneListEvent } from './phoneList.ts'

/** By name, not by the list of those there are: what version 1 holds does not grow with it. */
const list = oneOf(['allow', 'block'])

const ofNumber = ({ phone_number }: { readonly phone_number: string }): SubjectOf => ({
  kind: 'phone',
  value: phone_number,
})

const personal = {
  phone_number: { subject: ofNumber, schema: word },
  reason: { subject: ofNumber, schema: word, optional: true },
} as const

export const phoneListEvents: Definitions<PhoneListEvent> = {
  PhoneNumberListed: {
    version: 1,
    schema: object({ list, listed_at: time }, { expires_at: time }),
    upcasters: [],
    personal,
  },
  PhoneNumberUnlisted: { version: 1, schema: object({ list }), upcasters: [], personal },
}
