/** Users of applications as they are created and shown. */

import {
  type Identifier,
  identifierLengthMax,
  identifiersMax,
  identifierTypePattern,
} from '../../domain/identifiers.ts'
import type { UserInput, UserView } from '../../service/sessions/usersPart.ts'
import { inputSchema, viewSchema } from '../request/fields.ts'
import { pageSchema } from '../request/pageSchema.ts'
import { type Schema, timeText } from '../request/schema.ts'

export const identifierType: Schema = {
  type: 'string',
  pattern: identifierTypePattern,
  description:
    '`phone_number`, `email_address`, or a name of your own, such as `customer_user_id`: lower-case letters, digits and `_`.',
}

export const identifierValue: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: identifierLengthMax,
  description: 'A number in E.164 form, an address, or visible characters of any kind.',
}

export const userInputSchema: Schema = inputSchema<UserInput>('UserInput', {
  identifiers: {
    type: 'array',
    minItems: 1,
    maxItems: identifiersMax,
    items: inputSchema<Identifier>('IdentifierInput', {
      type: identifierType,
      value: identifierValue,
    }),
    description:
      'What the user is known by: no other user of the application may have any of them.',
  },
})

export const userViewSchema: Schema = viewSchema<UserView>('User', {
  id: { type: 'string' },
  identifiers: {
    type: 'array',
    items: viewSchema<Identifier>('Identifier', {
      type: { type: 'string' },
      value: { type: 'string', description: 'In canonical form.' },
    }),
    description: 'None of a person who was erased.',
  },
  created_at: timeText,
})

export const userListSchema: Schema = pageSchema('UserList', 'users', userViewSchema)
