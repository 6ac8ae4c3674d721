/** The event types of the entries of authors' lists, as the catalogue needs them. */

import { subjectKinds } from '../../domain/lists.ts'
import type { Clear, Definitions, SubjectOf } from '../recording/definition.ts'
import { integerFrom, object, oneOf, time, word } from '../recording/schema.ts'
import type { NamedEntryEvent } from './listEntry.ts'

/** By name, not by the list of those there are: what version 1 holds does not grow with it. */
const kind = oneOf(['phone_number', 'email_address', 'email_domain', 'ip_range', 'text'])
const network = object({ version: integerFrom(4), prefix: integerFrom(1) })
const of = { list_id: word, kind }

type Entry = Clear<NamedEntryEvent['data']>

/** Every value stands for itself, a number or an address as everywhere else: who is erased disappears from every list. */
const ofValue = ({ kind: of, value }: Entry): SubjectOf => ({ kind: subjectKinds[of], value })

const personal = {
  value: { subject: ofValue, schema: word },
  reason: { subject: ofValue, schema: word, optional: true },
} as const

export const listEntryEvents: Definitions<NamedEntryEvent> = {
  ListEntryAdded: {
    version: 1,
    schema: object({ ...of, listed_at: time }, { network, expires_at: time }),
    upcasters: [],
    personal,
  },
  ListEntryRemoved: { version: 1, schema: object(of, { network }), upcasters: [], personal },
}
