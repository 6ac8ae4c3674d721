/** Collects titled schemas as OpenAPI components, puts references for them; expands `anyOf`. */

import type { Schema } from '../../domain/jsonSchema.ts'

export interface ComponentCollector {
  /** The schema for use in an operation: every titled schema in it is a reference. */
  readonly replaceWithReferences: (schema: Schema) => unknown
  /** The titled schemas that were met so far, by title. */
  readonly listSchemas: () => object
}

/** Opens the collection. Throws when two different schemas have the same title. */
export function createComponentCollector(): ComponentCollector {
  const known = new Map<string, unknown>()

  const referenced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(referenced)
    if (typeof value !== 'object' || value === null) return value
    const copy = Object.fromEntries(
      Object.entries(expandAlternatives({ ...value })).map(([key, part]) => [
        key,
        referenced(part),
      ]),
    )
    return typeof copy['title'] === 'string' ? keep(copy['title'], copy) : copy
  }

  const keep = (title: string, schema: object): object => {
    const other = known.get(title)
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are called ${title}`)
    }
    known.set(title, schema)
    return { $ref: `#/components/schemas/${title}` }
  }

  return { replaceWithReferences: referenced, listSchemas: () => Object.fromEntries(known) }
}

/**
 * Alternatives that only say which fields they require, as alternatives that are whole objects: it means the same, and
 * makes generators of clients write a type for each. Two fields that exclude each other are not both in one of them.
 */
function expandAlternatives(schema: Schema): Schema {
  const { title, description, anyOf, not, ...object } = schema
  if (!isPlainObject(object) || !Array.isArray(anyOf) || !anyOf.every(isRequirement)) return schema
  const exclusive = isRequirement(not) && object.additionalProperties === false ? not.required : []
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(not !== undefined && exclusive.length === 0 && { not }),
    anyOf: anyOf.map(({ required }) => buildAlternative(object, required, exclusive)),
  }
}

interface PlainObject {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
}

function isPlainObject(schema: Schema | PlainObject): schema is PlainObject {
  return typeof schema['properties'] === 'object'
}

interface Requirement {
  readonly required: readonly string[]
}

function isRequirement(schema: unknown): schema is Requirement {
  const keys = Object.keys(Object(schema))
  return keys.length === 1 && keys[0] === 'required'
}

function buildAlternative(
  { properties, required: always = [], ...object }: PlainObject,
  required: readonly string[],
  exclusive: readonly string[],
): object {
  const isExcluded = (name: string): boolean => exclusive.includes(name) && !required.includes(name)
  const kept = Object.entries(properties).filter(([name]) => !isExcluded(name))
  return { ...object, properties: Object.fromEntries(kept), required: [...always, ...required] }
}
