/** The few words our events' JSON Schemas are made of. Every object is closed: an unknown member is an error. */

export type JsonSchema = Readonly<Record<string, unknown>>
/** Of a closed object. */
export interface ObjectSchema extends JsonSchema {
  readonly properties: Members
  readonly required: readonly string[]
}
type Members = Readonly<Record<string, JsonSchema>>

/** An object with these members and no others. */
export function object(required: Members, optional: Members = {}): ObjectSchema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }
}

/** Any number of items of one kind. */
export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/** Exactly these items, in order. */
export function tuple(...items: readonly JsonSchema[]): JsonSchema {
  return { type: 'array', items, minItems: items.length, additionalItems: false }
}

/** One of a few texts. */
export function oneOf(values: readonly string[]): JsonSchema {
  return { type: 'string', enum: [...values] }
}

export const text: JsonSchema = { type: 'string' }
/** A text that says something: ids, digests, names. */
export const word: JsonSchema = { type: 'string', minLength: 1 }
export const flag: JsonSchema = { type: 'boolean' }
export const integer: JsonSchema = { type: 'integer' }
/** Milliseconds since the Unix epoch. */
export const time: JsonSchema = { type: 'integer', minimum: 0 }
/** A personal value as it stands in the log: in a box, or in the box of another field. */
export const sealedValue: JsonSchema = object({
  sealed: {
    anyOf: [
      object({ key: word, box: word }, { fields: list(word) }),
      object({ key: word, in: word }),
    ],
  },
})
