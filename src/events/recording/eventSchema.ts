/** Builds JSON Schemas for events; every object rejects unknown fields. */

import {
  asSchemaOf,
  type ObjectOf,
  type OptionalField,
  type Schema,
  type SchemaOf,
  type TypeOf,
} from '../../domain/jsonSchema.ts'

/** Of a closed object. */
export interface ObjectSchema<Value> extends SchemaOf<Value> {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
}

/** Schemas of fields by name. */
export type Fields = Readonly<Record<string, Schema>>
type Allowed<Required, Optionals> = ObjectOf<
  Required & { readonly [Name in keyof Optionals]: OptionalField<Optionals[Name] & Schema> }
>

/** An object with these fields and no others. */
export function object<Required extends Fields, Optionals extends Fields = Record<never, never>>(
  required: Required,
  optional?: Optionals,
): ObjectSchema<Allowed<Required, Optionals>> {
  return {
    ...asSchemaOf<Allowed<Required, Optionals>>({ type: 'object', additionalProperties: false }),
    properties: { ...required, ...optional },
    required: Object.keys(required),
  }
}

/** An object of any fields, all of one kind. */
export function mapOf<Value>(values: SchemaOf<Value>): SchemaOf<Readonly<Record<string, Value>>> {
  return asSchemaOf({ type: 'object', additionalProperties: values })
}

/** Any number of items of one kind. */
export function list<Item>(items: SchemaOf<Item>): SchemaOf<readonly Item[]> {
  return asSchemaOf({ type: 'array', items })
}

/** Exactly these items, in order. */
export function tuple<Items extends readonly Schema[]>(
  ...items: Items
): SchemaOf<{ readonly [Index in keyof Items]: TypeOf<Items[Index]> }> {
  return asSchemaOf({ type: 'array', items, minItems: items.length, additionalItems: false })
}

/** One of a few texts. */
export function oneOf<const Value extends string>(values: readonly Value[]): SchemaOf<Value> {
  return asSchemaOf({ type: 'string', enum: [...values] })
}

export const text = asSchemaOf<string>({ type: 'string' })
/** A text that is not empty: ids, digests, names. */
export const nonEmptyString = asSchemaOf<string>({ type: 'string', minLength: 1 })
export const boolean = asSchemaOf<boolean>({ type: 'boolean' })
export const number = asSchemaOf<number>({ type: 'number' })
export const integer = asSchemaOf<number>({ type: 'integer' })
/** An integer that is at least this. */
export const integerFrom = (minimum: number) => asSchemaOf<number>({ type: 'integer', minimum })
/** Milliseconds since the Unix epoch. */
export const epochMs = integerFrom(0)
/** A text, a number or a truth value. */
export const scalar = asSchemaOf<string | number | boolean>({
  type: ['string', 'boolean', 'number'],
})
/** A sealed personal value as recorded: in a box of its own, or in the box of another field. */
export const sealedValueSchema: Schema = object({
  sealed: asSchemaOf<unknown>({
    anyOf: [
      object({ key: nonEmptyString, box: nonEmptyString }, { fields: list(nonEmptyString) }),
      object({ key: nonEmptyString, in: nonEmptyString }),
    ],
  }),
})
