/** Declares the routes for the entries of an account's phone lists (spec 4.3). */

import { phoneLists } from '../../domain/lists/lists.ts'
import { accountAccess, type Route } from '../request/route.ts'
import { entryRoutes } from './entryRoutes.ts'
import { entrySchemas } from './entrySchemas.ts'
import type { ListShares } from './listShares.ts'

const valueMax = 32

const schemas = entrySchemas({
  field: 'phone_number',
  value: { type: 'string', minLength: 1, maxLength: valueMax, description: 'In E.164 form.' },
  title: 'PhoneNumber',
  plural: 'phone_numbers',
})

/** `/v2/verification/management/phone-numbers/{action}`, for accounts on which the operator has enabled it. */
export function phoneListRoutes(shares: ListShares): readonly Route[] {
  return entryRoutes({
    shares,
    form: {
      path: '/v2/verification/management/phone-numbers/{action}',
      tag: 'Verification management',
      ids: { action: phoneLists },
      failures: ['access_not_enabled'],
      access: accountAccess('manage'),
      listIn: ({ action = '' }) => action,
      field: 'phone_number',
      plural: 'phone_numbers',
      operation: { one: 'PhoneNumber', many: 'PhoneNumbers' },
      words: { one: 'a phone number', many: 'phone numbers' },
      schemas,
      asked: {
        name: 'phone_number',
        description: 'In E.164 form, its + written as %2B.',
        schema: { type: 'string', minLength: 1, maxLength: valueMax },
        required: true,
      },
      // a plus that was not encoded has become a space
      askedValue: (text) => text.replace(/^ /, '+'),
      example: { value: '+33612345678', reason: 'chargeback' },
    },
  })
}
