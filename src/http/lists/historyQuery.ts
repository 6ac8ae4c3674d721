/** Which number's history is asked for. */

import type { PageRequest } from '../../domain/call.ts'
import { canonicalPhone } from '../../domain/phone.ts'
import { pageQuery, type QueryReader } from '../request/queryReader.ts'

/** `phone_number`, and which page. */
export const historyQuery: QueryReader<PageRequest & { readonly phone_number: string }> = {
  parameters: [
    {
      name: 'phone_number',
      description: 'In E.164 form, its + written as %2B.',
      schema: { type: 'string', minLength: 1, maxLength: 32 },
      required: true,
    },
    ...pageQuery.parameters,
  ],
  read: (given, details) => {
    // a plus that was not encoded has become a space
    const phone = canonicalPhone((given['phone_number'] ?? '').replace(/^ /, '+'))
    if (phone === undefined) {
      const message = 'Must be a phone number in E.164 form, such as %2B15551234567.'
      details.push({ path: 'phone_number', message })
    }
    return { phone_number: phone ?? '', ...pageQuery.read(given, details) }
  },
}
