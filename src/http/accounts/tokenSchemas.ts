/** An API token as it is asked for, and as it is shown once. */

import { scopes } from '../../domain/principal.ts'
import type { IssuedToken, TokenInput } from '../../service/accounts/accountsPart.ts'
import { inputSchema, optional, viewSchema } from '../request/fields.ts'
import { limits, type Schema, timeText } from '../request/schema.ts'

/** A body as its schema lets it through. */
export interface GivenToken extends Omit<TokenInput, 'expiresAtMs'> {
  readonly expires_at?: string
}

export const tokenInputSchema: Schema = inputSchema<GivenToken>('TokenInput', {
  scopes: {
    type: 'array',
    minItems: 1,
    maxItems: scopes.length,
    uniqueItems: true,
    items: { type: 'string', enum: scopes },
  },
  name: optional({
    type: 'string',
    minLength: 1,
    maxLength: limits.name,
    description: 'What to call it: where it is used, or by whom.',
  }),
  expires_at: optional({
    type: 'string',
    maxLength: 40,
    description:
      'From when on it is refused, in ISO 8601 with a zone: ahead, by at most ten years. Without it the token does not expire.',
  }),
})

export const tokenSchema: Schema = viewSchema<IssuedToken>('Token', {
  token_id: { type: 'string' },
  token: { type: 'string', description: 'Shown once; only a hash of it is kept.' },
  name: optional({ type: 'string' }),
  expires_at: optional(timeText),
})
