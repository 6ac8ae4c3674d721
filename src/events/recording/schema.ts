/** Builds JSON Schemas for events; every object rejects unknown fields. */

import type { Optional } from './shapeOf.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

declare const shape: unique symbol

/** A schema whose values are of this shape and no other, for the compiler; see `ShapeOf`. */
export interface SchemaOf<Shape> extends JsonSchema {
  readonly [shape]: (shape: Shape) => Shape
}

/** Of a closed object. */
export interface ObjectSchema<Shape> extends SchemaOf<Shape> {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

type AnySchema = JsonSchema & { readonly [shape]: unknown }
type Members = Readonly<Record<string, AnySchema>>
type ShapeIn<Schema> = Schema extends SchemaOf<infer Shape> ? Shape : never
type ObjectShape<Required, Optionals> = {
  readonly [Name in keyof Required | keyof Optionals]: Name extends keyof Required
    ? ShapeIn<Required[Name]>
    : Name extends keyof Optionals
      ? Optional<ShapeIn<Optionals[Name]>>
      : never
}

/** The schema, typed as one of the shape it claims; the claim is not checked. */
export function schemaOf<Shape>(schema: JsonSchema): SchemaOf<Shape> {
  return schema as SchemaOf<Shape>
}

/** An object with these fields and no others. */
export function object<Required extends Members>(
  required: Required,
): ObjectSchema<ObjectShape<Required, Record<never, never>>>
export function object<Required extends Members, Optionals extends Members>(
  required: Required,
  optional: Optionals,
): ObjectSchema<ObjectShape<Required, Optionals>>
export function object<Shape>(required: Members, optional: Members = {}): ObjectSchema<Shape> {
  const properties = { ...required, ...optional }
  return {
    ...schemaOf<Shape>({ type: 'object', additionalProperties: false }),
    properties,
    required: Object.keys(required),
  }
}

/** An object of any fields, all of one kind. */
export function mapOf<Shape>(
  values: SchemaOf<Shape>,
): SchemaOf<Readonly<Record<string, Optional<Shape>>>> {
  return schemaOf({ type: 'object', additionalProperties: values })
}

/** Any number of items of one kind. */
export function list<Shape>(items: SchemaOf<Shape>): SchemaOf<readonly Shape[]> {
  return schemaOf({ type: 'array', items })
}

/** Exactly these items, in order. */
export function tuple<Items extends readonly AnySchema[]>(
  ...items: Items
): SchemaOf<{ readonly [Index in keyof Items]: ShapeIn<Items[Index]> }> {
  return schemaOf({ type: 'array', items, minItems: items.length, additionalItems: false })
}

/** One of a few texts. */
export function oneOf<const Value extends string>(values: readonly Value[]): SchemaOf<Value> {
  return schemaOf({ type: 'string', enum: [...values] })
}

/** A value of the schema, or null. */
export function orNull<Shape>(schema: SchemaOf<Shape>): SchemaOf<Shape | null> {
  return schemaOf({ anyOf: [schema, { type: 'null' }] })
}

export const text = schemaOf<string>({ type: 'string' })
/** A text that is not empty: ids, digests, names. */
export const word = schemaOf<string>({ type: 'string', minLength: 1 })
export const flag = schemaOf<boolean>({ type: 'boolean' })
export const number = schemaOf<number>({ type: 'number' })
export const integer = schemaOf<number>({ type: 'integer' })
/** An integer that is at least this. */
export const integerFrom = (minimum: number) => schemaOf<number>({ type: 'integer', minimum })
/** Milliseconds since the Unix epoch. */
export const time = integerFrom(0)
/** A text, a number or a truth value. */
export const scalar = schemaOf<string | number | boolean>({ type: ['string', 'boolean', 'number'] })
/** A sealed personal value as recorded: in a box of its own, or in the box of another field. */
export const sealedValue: JsonSchema = object({
  sealed: schemaOf<unknown>({
    anyOf: [
      object({ key: word, box: word }, { fields: list(word) }),
      object({ key: word, in: word }),
    ],
  }),
})
