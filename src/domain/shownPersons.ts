/** Marks in schemas what is of persons, and seals it in answers to callers that may not read it. */

import { asSchemaOf, openObject, type Schema, type TypeOf } from './jsonSchema.ts'
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

/** The value with everything sealed that its schema says is of a person. */
export function sealPersons(value: unknown, { anyOf, items, properties }: Schema): unknown {
  if (Array.isArray(anyOf)) {
    if (anyOf.includes(sealedSchema)) return sealed
    const schemas = anyOf as readonly Schema[]
    const fitting = schemas.find((one) => (one['type'] === 'array') === Array.isArray(value))
    return fitting ? sealPersons(value, fitting) : value
  }
  if (Array.isArray(value)) return value.map((one) => sealPersons(one, Object(items)))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => {
    const schema = Object(properties)[name] as Schema | undefined
    return [name, field === undefined || !schema ? field : sealPersons(field, schema)]
  })
  return Object.fromEntries(fields)
}
