/** Builds object schemas whose fields the compiler checks against a TypeScript type. */

import {
  closedObject,
  type FieldTable,
  type OptionalField,
  openObject,
  type Schema,
  type SchemaOf,
  typed,
} from '../../../domain/schema.ts'

/** A schema for every field of the type; optional fields are marked as in the type. */
export type Fields<Type> = {
  readonly [Field in keyof Type]-?: Record<never, never> extends Pick<Type, Field>
    ? OptionalField
    : Schema
}

/** A request schema that refuses unknown fields by name. `facts` are further keywords, such as a description. */
export function inputSchema<Input extends object = never>(
  title: string,
  fields: NoInfer<Fields<Input>>,
  facts: Schema = {},
): SchemaOf<Input> {
  return typed(closedObject(title, fields as FieldTable, facts))
}

/** A request schema that ignores unknown fields. */
export function lenientSchema<Input extends object = never>(
  title: string,
  fields: NoInfer<Fields<Input>>,
  facts: Schema = {},
): SchemaOf<Input> {
  return typed(openObject(title, fields as FieldTable, facts))
}

/** A response schema; later versions may add fields. */
export function viewSchema<View extends object = never>(
  title: string,
  fields: NoInfer<Fields<View>>,
): SchemaOf<View> {
  return typed(openObject(title, fields as FieldTable))
}
