/** Declares and normalizes user identifiers: phone number, email address, custom types. */

import { describeEmailRefusal, normalizeEmail } from '../evaluation/email.ts'
import {
  describePhoneRefusal,
  normalizePhone,
  normalizeStoredPhone,
  unifyPhone,
} from '../evaluation/phone.ts'
import { closedObject, type TypeOf } from '../jsonSchema.ts'

export const identifiersMax = 10
/** The most characters of a value, of every type. */
const identifierLengthMax = 255
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

interface ContactType {
  readonly subject: 'phone' | 'email'
  /** The canonical form in which values are stored and compared; undefined for what is none of the type. */
  readonly normalize: (value: string) => string | undefined
  /** What a value must be, and why this one is none. */
  readonly describeRefusal: (value: string) => string
}

/**
 * Types whose values have a form, and are of a subject of their own; values of custom types stay as written, and belong
 * to the user only.
 */
const contactTypes: ReadonlyMap<string, ContactType> = new Map<string, ContactType>([
  [
    'phone_number',
    { subject: 'phone', normalize: normalizePhone, describeRefusal: describePhoneRefusal },
  ],
  [
    'email_address',
    { subject: 'email', normalize: normalizeEmail, describeRefusal: describeEmailRefusal },
  ],
])

/** The subject kind of a type's values; undefined for a custom type. */
export function findSubjectKind(type: string): ContactType['subject'] | undefined {
  return contactTypes.get(type)?.subject
}

/** Visible characters of any script: no control characters, no lone surrogates. */
const printable = /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u

/** The identifier in canonical form; undefined when its value is none of its type. */
export function normalizeIdentifier({ type, value }: Identifier): Identifier | undefined {
  const canonical = (contactTypes.get(type)?.normalize ?? normalizeText)(value)
  return canonical === undefined ? undefined : { type, value: canonical }
}

/** Same for one that may have been stored by a service with an earlier table of numbers. */
export function normalizeStoredIdentifier({ type, value }: Identifier): Identifier | undefined {
  if (findSubjectKind(type) !== 'phone') return normalizeIdentifier({ type, value })
  const stored = normalizeStoredPhone(value)
  return stored === undefined ? undefined : { type, value: stored }
}

/** The canonical identifier in the one spelling by which persons are told apart. */
export function unifyIdentifier({ type, value }: Identifier): Identifier {
  return { type, value: findSubjectKind(type) === 'phone' ? unifyPhone(value) : value }
}

/** Unicode form NFC. */
function normalizeText(value: string): string | undefined {
  const text = value.normalize('NFC')
  return text.length <= identifierLengthMax && printable.test(text) ? text : undefined
}

/** What a value of the type must be, and why this one is none. */
export function describeIdentifierRefusal({ type, value }: Identifier): string {
  const form = 'Must be visible characters, without space at either end.'
  return contactTypes.get(type)?.describeRefusal(value) ?? form
}
