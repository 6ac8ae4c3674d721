/** Builds JSON Schemas (2020-12), derives their types; holds the limits of fields and pages. */

/**
 * A JSON Schema. One with a `title` is a component: OpenAPI declares it once under that name, and references it
 * wherever it is used.
 */
export interface Schema {
  readonly [keyword: string]: unknown
  /** So that an optional field is never taken for a schema. */
  readonly mayBeAbsent?: never
}

declare const value: unique symbol

/** A schema of values of this type. Exists for the compiler only: nothing is added to the schema. */
export interface SchemaOf<Value> extends Schema {
  readonly [value]: Value
}

export interface OptionalField<Of extends Schema = Schema> {
  readonly mayBeAbsent: Of
}

/** The fields of an object by name. */
export type FieldTable = Readonly<Record<string, Schema | OptionalField>>

interface ByTypeName {
  readonly string: string
  readonly integer: number
  readonly number: number
  readonly boolean: boolean
  readonly null: null
  readonly object: object
}

/** The values that a schema allows, as `as const` or a function below keeps its keywords. */
export type TypeOf<Of> = Of extends { readonly [value]: infer Value }
  ? Value
  : Of extends { readonly const: infer Value }
    ? Value
    : Of extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : Of extends { readonly type: 'array'; readonly items: infer Items }
        ? readonly TypeOf<Items>[]
        : Of extends { readonly type: 'object'; readonly additionalProperties: infer Values }
          ? Readonly<Record<string, TypeOf<Values>>>
          : Of extends { readonly type: infer Name extends keyof ByTypeName }
            ? ByTypeName[Name]
            : Of extends { readonly type: readonly (infer Name extends keyof ByTypeName)[] }
              ? ByTypeName[Name]
              : unknown

/** The object with these fields. */
export type ObjectOf<Fields> = RequiredOf<Fields> & OptionalOf<Fields> extends infer Both
  ? { readonly [Name in keyof Both]: Both[Name] }
  : never

type RequiredOf<Fields> = {
  readonly [Name in keyof Fields as Fields[Name] extends OptionalField ? never : Name]: TypeOf<
    Fields[Name]
  >
}
type OptionalOf<Fields> = {
  readonly [Name in keyof Fields as Fields[Name] extends OptionalField ? Name : never]?: TypeOf<
    Fields[Name] extends OptionalField<infer Of> ? Of : never
  >
}

export function optional<const Of extends Schema>(schema: Of): OptionalField<Of> {
  return { mayBeAbsent: schema }
}

export function optionalFields<const Fields extends FieldTable>(
  fields: Fields,
): {
  readonly [Name in keyof Fields]: Fields[Name] extends Schema
    ? OptionalField<Fields[Name]>
    : Fields[Name]
} {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    isOptional(field) ? field : optional(field),
  ])
  return Object.fromEntries(entries)
}

/** An object whose other fields are ignored in a request, and may come with later versions in an answer. */
export function openObject<const Fields extends FieldTable>(
  title: string,
  fields: Fields,
  facts: Schema = {},
): SchemaOf<ObjectOf<Fields>> {
  const entries = Object.entries(fields)
  const required = entries.filter(([, field]) => !isOptional(field)).map(([name]) => name)
  const properties = entries.map(([name, field]) => [
    name,
    isOptional(field) ? field.mayBeAbsent : field,
  ])
  return asSchemaOf({
    title,
    ...facts,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  })
}

/** An object that has no other fields: a request with one is refused by its name. */
export function closedObject<const Fields extends FieldTable>(
  title: string,
  fields: Fields,
  facts: Schema = {},
): SchemaOf<ObjectOf<Fields>> {
  return asSchemaOf({ ...openObject(title, fields, facts), additionalProperties: false })
}

/** The schema as one of values of this type, which is not checked. */
export function asSchemaOf<Value>(schema: Schema): SchemaOf<Value> {
  return schema as SchemaOf<Value>
}

function isOptional(field: Schema | OptionalField): field is OptionalField {
  return field.mayBeAbsent !== undefined
}

/** A page of a list, whose items stand under `plural`. */
export function pageSchema(title: string, plural: string, items: Schema): Schema {
  return {
    title,
    type: 'object',
    properties: {
      [plural]: { type: 'array', items },
      next_cursor: { type: 'string', description: 'Absent on the last page.' },
    },
    required: [plural],
  }
}

/** The limits of what a caller may send, in characters unless the name says otherwise. */
export const inputLimits = Object.freeze({
  id: 128,
  name: 128,
  stringSchema: 8192,
  expression: 4096,
  extKey: 128,
  extEntries: 200,
  rulesPerRecipe: 500,
  recipesPerFlow: 50,
  rulesPerManagedRecipe: 100,
  parameters: 50,
  parameterName: 64,
  parameterValue: 1024,
  page: 200,
  pageDefault: 50,
  cursor: 1024,
})

/** The keyword of names: outer white space is removed, and a character that is not shown is refused. */
export const visibleKeyword = 'x-visible'

/** A name that people read. */
export const nameSchema = {
  type: 'string',
  minLength: 1,
  maxLength: inputLimits.name,
  [visibleKeyword]: true,
  description: 'Outer white space is removed; invisible and control characters are refused.',
} as const

export const int64 = {
  type: 'integer',
  format: 'int64',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
} as const

export const countSchema = { type: 'integer', minimum: 0 } as const
export const text = { type: 'string' } as const
export const booleanSchema = { type: 'boolean' } as const
export const timeSchema = { type: 'string', description: 'ISO 8601 UTC.' } as const
