/** Declares and normalizes user identifiers: phone number, email address, custom types. */

import { normalizeEmail } from '../evaluation/email.ts'
import { normalizePhone } from '../evaluation/phone.ts'
import { closedObject, type TypeOf } from '../jsonSchema.ts'

/** How many identifiers a user may have. */
export const identifiersMax = 10
/** The most characters of a value, of every type. */
export const identifierLengthMax = 255
/** The pattern of a type's name, for a JSON Schema. */
export const identifierTypePattern = '^[a-z][a-z0-9_]{0,31}$'

export const identifierFields = {
  type: {
    type: 'string',
    pattern: identifierTypePattern,
    description:
      '`phone_number`, `email_address`, or a name of your own, such as `customer_user_id`: lower-case letters, digits and `_`.',
  },
  value: {
    type: 'string',
    minLength: 1,
    maxLength: identifierLengthMax,
    description: 'A number in E.164 form, an address, or visible characters of any kind.',
  },
} as const

export const identifierInputSchema = closedObject('IdentifierInput', identifierFields)
export type Identifier = TypeOf<typeof identifierInputSchema>

/** The subject kind of a type's values; values of custom types belong to the user only. */
export const subjectKindByIdentifierType: Readonly<Record<string, 'phone' | 'email'>> = {
  phone_number: 'phone',
  email_address: 'email',
}

/** The canonical forms in which values are stored and compared; values of custom types stay as written. */
const canonicalForms = new Map([
  ['phone_number', normalizePhone],
  ['email_address', normalizeEmail],
])

const expected = new Map([
  ['phone_number', 'a phone number in E.164 form'],
  ['email_address', 'an email address'],
])

/** Visible characters of any script: no control characters, no lone surrogates. */
const printable = /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u

/** The identifier in canonical form; undefined when its value is none of its type. */
export function normalizeIdentifier({ type, value }: Identifier): Identifier | undefined {
  const canonical = (canonicalForms.get(type) ?? canonicalText)(value)
  return canonical === undefined ? undefined : { type, value: canonical }
}

/** Unicode form NFC. */
function canonicalText(value: string): string | undefined {
  const text = value.normalize('NFC')
  return text.length <= identifierLengthMax && printable.test(text) ? text : undefined
}

/** What a value of the type must be, as the end of `Must be …`. */
export function identifierFormHint(type: string): string {
  return expected.get(type) ?? 'visible characters, without space at either end'
}
