/** Declares JSON Schema 2020-12 objects shared by validation (ajv) and OpenAPI 3.1. */

import { type Warning, warningCodes } from '../../../domain/warning.ts'
import { optional, viewSchema } from './fields.ts'

const warning = viewSchema<Warning>('Warning', {
  code: { type: 'string', enum: warningCodes },
  message: { type: 'string' },
  path: { type: 'string', description: 'The field that the warning is about.' },
})

/** The `warnings` field of a response; absent when there are none. */
export const warningsMember = optional({
  type: 'array',
  items: warning,
  description: 'What is probably not what was meant; it was done all the same.',
})

/**
 * A JSON Schema 2020-12. A schema with a `title` is a component: OpenAPI declares it once under that name, and references it
 * wherever it is used.
 */
export interface Schema {
  readonly [keyword: string]: unknown
  /** So that an optional field is never taken for a schema. */
  readonly mayBeAbsent?: never
}

/** The limits of what a caller may send, in characters unless the name says otherwise. */
export const limits = Object.freeze({
  id: 128,
  name: 128,
  text: 8192,
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

/** A reference to the response schema of this title, for recursive schemas. */
export function referenceTo(title: string): Schema {
  return { $ref: `#/components/schemas/${title}` }
}

export const int64: Schema = {
  type: 'integer',
  format: 'int64',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
}

export const count: Schema = { type: 'integer', minimum: 0 }

export const timeText: Schema = { type: 'string', description: 'ISO 8601 UTC.' }

/** `plural` is the field under which the page lists its items. */
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
