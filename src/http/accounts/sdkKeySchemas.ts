/** The public key of a front end as it is asked for, and as it is issued. */

import type { SdkKeyInput, SdkKeyView } from '../../service/accounts/accountsPart.ts'
import { inputSchema, optional, viewSchema } from '../request/fields.ts'
import { limits, type Schema } from '../request/schema.ts'

export const sdkKeyInputSchema: Schema = inputSchema<SdkKeyInput>('SdkKeyInput', {
  name: optional({
    type: 'string',
    minLength: 1,
    maxLength: limits.name,
    description: 'What to call it: the site or the app that it stands in.',
  }),
})

type Issued = Pick<SdkKeyView, 'key_id' | 'sdk_key' | 'name'>

export const sdkKeySchema: Schema = viewSchema<Issued>('SdkKey', {
  key_id: { type: 'string' },
  sdk_key: {
    type: 'string',
    description:
      'What front ends send as `X-SDK-Key`. Public: good for sending signals, and for nothing else.',
  },
  name: optional({ type: 'string' }),
})
