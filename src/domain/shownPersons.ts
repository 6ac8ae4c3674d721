/** Marks in schemas what is of persons, seals it in answers, and says whom an answer shows. */

import { asSchemaOf, openObject, type Schema, type TypeOf } from './jsonSchema.ts'
import type { Steps } from './load/steps.ts'
import type { Principal, Scope } from './principal.ts'

const sealedSchema = openObject(
  'Sealed',
  { sealed: { const: true } },
  { description: 'Of a person, for a token that reads by the scope audit alone.' },
)
const sealed: TypeOf<typeof sealedSchema> = { sealed: true }

/** The schema of what is of a person. */
export function personal<const Of extends Schema>(schema: Of) {
  return asSchemaOf<TypeOf<Of> | typeof sealed>({ anyOf: [schema, sealedSchema] })
}

/** Whether the caller reads persons in clear: by `analyse`, or the scope of the route; not by `audit` alone. */
export function opensPersons(principal: Principal, own: Scope | undefined = 'analyse'): boolean {
  if (principal.kind !== 'account') return true
  return principal.scopes.some((one) => one === 'analyse' || (one === own && one !== 'audit'))
}

/** A person as answers show them: by a number or an address in canonical form, or by the id of a user. */
export interface OpenedPerson {
  readonly kind: 'phone_number' | 'email_address' | 'user'
  readonly value: string
}

/** Whom an answer shows; `unnamed` where it does not say who they are. */
export type OpenedPersons = readonly OpenedPerson[] | 'unnamed'

interface NamedValue {
  /** Of an identifier. */
  readonly type?: string
  /** Of evidence. */
  readonly name?: string | undefined
  readonly value?: unknown
}

/** The numbers and addresses among identifiers or evidence. */
export function findPersons(values: readonly NamedValue[]): readonly OpenedPerson[] {
  return values.flatMap(({ name = '', type = name.replace(/^target\./, ''), value }) =>
    typeof value === 'string' && (type === 'phone_number' || type === 'email_address')
      ? [{ kind: type, value }]
      : [],
  )
}

/** The value with everything sealed that its schema, if it has one, says is of a person. */
export function sealPersons(value: unknown, schema: Schema | undefined): unknown {
  const shown = schema && findShownSchema(value, schema)
  if (shown === sealedSchema) return sealed
  if (!shown || typeof value !== 'object' || value === null) return value
  const seal = (part: unknown, field?: string) => sealPersons(part, findPartSchema(shown, field))
  if (Array.isArray(value)) return value.map((item) => seal(item))
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, seal(field, name)]))
}

/** Of the alternatives of a schema the one of the value; `sealedSchema` for one of a person. */
function findShownSchema(value: unknown, schema: Schema): Schema | undefined {
  const { anyOf } = schema
  if (value === undefined || !Array.isArray(anyOf)) return schema
  if (anyOf.includes(sealedSchema)) return sealedSchema
  const schemas = anyOf as readonly Schema[]
  const fitting = schemas.find((one) => (one['type'] === 'array') === Array.isArray(value))
  return fitting && findShownSchema(value, fitting)
}

/** The schema of a field, or of the items. */
function findPartSchema({ items, properties }: Schema, field?: string): Schema | undefined {
  return field === undefined ? (items as Schema | undefined) : Object(properties)[field]
}

/** Levels that are written item by item: down to the rules of a recipe of an explanation. */
const levels = 4

/**
 * The text of `JSON.stringify` for plain data, one item at each step. Given a schema, everything that
 * it says is of a person is sealed.
 */
export function* stringifySteps(value: unknown, schema?: Schema, left = levels): Steps<string> {
  const shown = schema && findShownSchema(value, schema)
  if (left === 0 || typeof value !== 'object' || value === null || shown === sealedSchema) {
    yield
    return JSON.stringify(sealPersons(value, schema))
  }
  const isList = Array.isArray(value)
  const texts: string[] = []
  for (const [field, item] of Object.entries(value)) {
    if (item === undefined) continue
    const part = shown && findPartSchema(shown, isList ? undefined : field)
    const text = yield* stringifySteps(item, part, left - 1)
    texts.push(isList ? text : `${JSON.stringify(field)}:${text}`)
  }
  return isList ? `[${texts.join()}]` : `{${texts.join()}}`
}
