/**
 * Builds object schemas whose fields the compiler checks against a TypeScript type.
 * A table of fields defined separately needs `satisfies Fields<Type>`, since excess fields of a spread are not reported.
 */

import type { Schema } from './schema.ts'

/** A field that may be absent. */
export interface OptionalField {
  readonly mayBeAbsent: Schema
}

/** A schema for every field of the type; optional fields are marked as in the type. */
export type Fields<Type> = {
  readonly [Field in keyof Type]-?: Record<never, never> extends Pick<Type, Field>
    ? OptionalField
    : Schema
}

/** The schema of a field that may be absent. */
export function optional(schema: Schema): OptionalField {
  return { mayBeAbsent: schema }
}

/** The same fields, each of which may be absent. */
export function optionalFields<Table extends FieldTable>(
  fields: Table,
): { readonly [Field in keyof Table]: OptionalField } {
  const entries = Object.entries(fields).map(([name, field]) => [name, optional(schemaOf(field))])
  return Object.fromEntries(entries) as { readonly [Field in keyof Table]: OptionalField }
}

/** A request schema that refuses unknown fields by name. `facts` are further keywords, such as a description. */
export function inputSchema<Input extends object = never>(
  title: string,
  fields: NoInfer<Fields<Input>>,
  facts: Schema = {},
): Schema {
  return { ...lenientSchema<Input>(title, fields, facts), additionalProperties: false }
}

/** A request schema that ignores unknown fields. */
export function lenientSchema<Input extends object = never>(
  title: string,
  fields: NoInfer<Fields<Input>>,
  facts: Schema = {},
): Schema {
  return { title, ...facts, type: 'object', ...membersOf(fields) }
}

/** A response schema; later versions may add fields. */
export function viewSchema<View extends object = never>(
  title: string,
  fields: NoInfer<Fields<View>>,
): Schema {
  return { title, type: 'object', ...membersOf(fields) }
}

type FieldTable = Readonly<Record<string, Schema | OptionalField>>

function membersOf(fields: FieldTable): Schema {
  const entries = Object.entries(fields)
  const required = entries.filter(([, field]) => !isOptional(field)).map(([name]) => name)
  return {
    properties: Object.fromEntries(entries.map(([name, field]) => [name, schemaOf(field)])),
    ...(required.length > 0 && { required }),
  }
}

function schemaOf(field: Schema | OptionalField): Schema {
  return isOptional(field) ? field.mayBeAbsent : field
}

function isOptional(field: Schema | OptionalField): field is OptionalField {
  return field.mayBeAbsent !== undefined
}
