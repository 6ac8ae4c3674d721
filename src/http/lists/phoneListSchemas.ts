/** Phone lists as they are sent and answered. */

import type { PhoneNumberChange, PhoneNumberView } from '../../service/lists/listsPart.ts'
import { inputSchema, optional, viewSchema } from '../request/fields.ts'
import { pageSchema } from '../request/pageSchema.ts'
import { type Schema, timeText } from '../request/schema.ts'

/** Characters of what somebody says about an entry. */
const reasonMax = 500

/** A body as its schema lets it through. */
export interface GivenPhoneNumber {
  readonly phone_number: string
  readonly reason?: string
  readonly expires_at?: string
}

const phoneNumber: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 32,
  description: 'In E.164 form.',
}

const reason = optional({ type: 'string', minLength: 1, maxLength: reasonMax })

export const phoneNumberInputSchema: Schema = inputSchema<GivenPhoneNumber>('PhoneNumberInput', {
  phone_number: phoneNumber,
  reason,
  expires_at: optional({
    type: 'string',
    maxLength: 40,
    description:
      'From when on the entry does not count any more, in ISO 8601 with a zone. Without it the entry stays.',
  }),
})

export const phoneNumberDeletionSchema: Schema = inputSchema<Omit<GivenPhoneNumber, 'expires_at'>>(
  'PhoneNumberDeletion',
  { phone_number: phoneNumber, reason },
)

export const listedNumberSchema: Schema = viewSchema<Pick<PhoneNumberView, 'phone_number'>>(
  'ListedPhoneNumber',
  { phone_number: { type: 'string' } },
)

const entry = viewSchema<PhoneNumberView>('PhoneNumber', {
  phone_number: { type: 'string' },
  created_at: timeText,
  reason: optional({ type: 'string' }),
  expires_at: optional(timeText),
})

export const phoneNumbersSchema: Schema = pageSchema('PhoneNumberPage', 'phone_numbers', entry)

const change = viewSchema<PhoneNumberChange>('PhoneNumberChange', {
  change: { type: 'string', enum: ['added', 'changed', 'deleted'] },
  at: timeText,
  by: { type: 'string', description: 'Id of the token.' },
  reason: optional({ type: 'string' }),
  expires_at: optional(timeText),
  position: { type: 'string', description: 'In the log.' },
})

export const phoneNumberHistorySchema: Schema = pageSchema('PhoneNumberHistory', 'changes', change)
