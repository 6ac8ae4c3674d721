/** Declares events of phone list entries (streams `phone_list-{digest of account, list, number}`). */

import type { PhoneList } from '../../domain/lists/lists.ts'
import type { Definitions, SubjectOf } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { object, oneOf, time, word } from '../recording/schema.ts'
import type { Personal } from '../recording/sealing.ts'

/** Times are in milliseconds since the Unix epoch. */
export type PhoneListEvent =
  | DomainEvent<
      'PhoneNumberListed',
      {
        readonly list: PhoneList
        /** E.164. */
        readonly phone_number: Personal<string>
        readonly reason?: Personal<string>
        /** Since when it stands on the list without a break: that of the event, or that of an entry which this one replaces. */
        readonly listed_at: number
        /** From when on it does not stand there any more; absent where it stays. */
        readonly expires_at?: number
      }
    >
  | DomainEvent<
      'PhoneNumberUnlisted',
      {
        readonly list: PhoneList
        readonly phone_number: Personal<string>
        readonly reason?: Personal<string>
      }
    >

/** The beginning of the name of every such stream. */
export const phoneListPrefix = 'phone_list-'

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
    schema: object({ list, listed_at: time }, { expires_at: time }),
    personal,
  },
  PhoneNumberUnlisted: { schema: object({ list }), personal },
}
