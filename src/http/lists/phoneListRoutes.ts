/** Declares the routes for the entries of an account's phone lists (spec 4.3). */

import { phoneLists } from '../../domain/lists/lists.ts'
import { accountAccess, ownScopeAccess } from '../request/access.ts'
import { restorePlus } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { buildEntryForm } from './entryForm.ts'
import { entryRoutes } from './entryRoutes.ts'
import type { ListLimits } from './listLimits.ts'

const form = buildEntryForm({
  path: '/v2/verification/management/phone-numbers/{action}',
  tag: 'Verification management',
  ids: { action: phoneLists },
  failures: ['access_not_enabled'],
  access: accountAccess('manage'),
  valueAccess: ownScopeAccess('manage'),
  field: 'phone_number',
  plural: 'phone_numbers',
  title: { one: 'PhoneNumber', many: 'PhoneNumbers' },
  words: { one: 'a phone number', many: 'phone numbers' },
  valueMax: 32,
  meaning: { body: 'In E.164 form.', query: 'In E.164 form, its + written as %2B.' },
  decodeQueryValue: restorePlus,
  example: { value: '+33612345678', reason: 'chargeback' },
})

/** `/v2/verification/management/phone-numbers/{action}`, for accounts on which the operator has enabled it. */
export function phoneListRoutes(limits: ListLimits): readonly Route[] {
  return entryRoutes(form, limits)
}
