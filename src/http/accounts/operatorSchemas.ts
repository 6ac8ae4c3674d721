/** What the operator sends and is answered. */

import { scopes } from '../../domain/principal.ts'
import { answeredObject, limits, type Schema, strictObject } from '../request/schema.ts'

const access = {
  authoring: { type: 'boolean' },
  management: { type: 'boolean' },
  trusted_user: { type: 'boolean' },
}

export const accountInputSchema: Schema = {
  title: 'AccountInput',
  ...strictObject({ name: { type: 'string', minLength: 1, maxLength: limits.name } }, ['name']),
}

export const accountSchema: Schema = answeredObject('Account', { account_id: { type: 'string' } })

export const accessInputSchema: Schema = {
  title: 'AccessInput',
  description: 'What is left out stays as it is.',
  ...strictObject(access, []),
  minProperties: 1,
}

export const accessSchema: Schema = answeredObject('Access', access)

export const tokenInputSchema: Schema = {
  title: 'TokenInput',
  ...strictObject(
    {
      scopes: {
        type: 'array',
        minItems: 1,
        maxItems: scopes.length,
        uniqueItems: true,
        items: { type: 'string', enum: scopes },
      },
    },
    ['scopes'],
  ),
}

export const tokenSchema: Schema = answeredObject('Token', {
  token_id: { type: 'string' },
  token: { type: 'string', description: 'Shown once; only a hash of it is kept.' },
})
