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

/** The value with everything sealed that its schema, if it has one, says is of a person. */
export function sealPersons(value: unknown, schema: Schema | undefined): unknown {
  const shown = schema && findShownSchema(value, schema)
  if (shown === sealedSchema) return sealed
  if (!shown || typeof value !== 'object' || value === null) return value
  const seal = (part: unknown, field?: string) => sealPersons(part, findPartSchema(shown, field))
  if (Array.isArray(value)) return value.map((item) => seal(item))
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, seal(field, name)]))
}

/** Of the alternatives of a schema the one of the value; see `isSealedSchema` for one of a person. */
export function findShownSchema(value: unknown, schema: Schema): Schema | undefined {
  const { anyOf } = schema
  if (value === undefined || !Array.isArray(anyOf)) return schema
  if (anyOf.includes(sealedSchema)) return sealedSchema
  const schemas = anyOf as readonly Schema[]
  const fitting = schemas.find((one) => (one['type'] === 'array') === Array.isArray(value))
  return fitting && findShownSchema(value, fitting)
}

/** Whether the schema found for a value says that it is sealed. */
export function isSealedSchema(schema: Schema | undefined): boolean {
  return schema === sealedSchema
}

/** The schema of a field, or of the items. */
export function findPartSchema(
  { items, properties }: Schema,
  field: string | undefined,
): Schema | undefined {
  return field === undefined ? (items as Schema | undefined) : Object(properties)[field]
}
