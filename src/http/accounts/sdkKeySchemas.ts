/** The public key of a front end as it is asked for, and as it is issued. */

import { originLengthMax } from '../../domain/webOrigin.ts'
import type {
  IssuedSdkKey,
  SdkKeyInput,
  SdkKeyOrigins,
} from '../../service/accounts/accountsPart.ts'
import { inputSchema, optional, viewSchema } from '../request/fields.ts'
import { limits, type Schema } from '../request/schema.ts'

/** Origins that a key may have. */
const originsMax = 50

export const sdkKeyOriginsField: Schema = {
  type: 'array',
  maxItems: originsMax,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: originLengthMax },
  description:
    'Of which origins the pages are that may use the key, such as https://shop.example; without any, all may, and apps.',
}

export const sdkKeyOriginsSchema: Schema = inputSchema<SdkKeyOrigins>('SdkKeyOrigins', {
  origins: sdkKeyOriginsField,
})

export const sdkKeyInputSchema: Schema = inputSchema<SdkKeyInput>('SdkKeyInput', {
  name: optional({
    type: 'string',
    minLength: 1,
    maxLength: limits.name,
    description: 'What to call it: the site or the app that it stands in.',
  }),
  origins: optional(sdkKeyOriginsField),
})

export const sdkKeySchema: Schema = viewSchema<IssuedSdkKey>('SdkKey', {
  key_id: { type: 'string' },
  sdk_key: {
    type: 'string',
    description:
      'What front ends send as `X-SDK-Key`. Public: good for sending signals, and for nothing else.',
  },
  name: optional({ type: 'string' }),
  origins: optional(sdkKeyOriginsField),
})
