/** Checks values against JSON Schemas and says what is wrong with every field (spec 7.1). */

import {
  Ajv2020,
  type AnySchemaObject,
  type ErrorObject,
  type ValidateFunction,
} from 'ajv/dist/2020.js'
import type { FailureDetail } from '../../domain/failure.ts'
import type { Schema } from './schema.ts'

/** An answer names at most so many problems, so that a hostile body cannot make a large answer. */
const detailsMax = 100

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  messages: false,
  formats: { int64: true },
})

/** The check of a schema, compiled once. Throws when the schema is none. */
export function compileSchema<Value>(schema: Schema): ValidateFunction<Value> {
  const known: AnySchemaObject = schema
  return ajv.compile<Value>(known)
}

/**
 * The problems of the value last checked, each under its dotted path (`rules.0.rule_id`); a missing or unknown field under the
 * path it has or would have; at most 100.
 */
export function detailsOf(errors: ValidateFunction['errors']): FailureDetail[] {
  const details = new Map<string, FailureDetail>()
  for (const error of errors ?? []) {
    if (details.size === detailsMax) break
    if (isPartOfAnother(error)) continue
    const path = pathOf(error)
    if (!details.has(path)) details.set(path, { path, message: messageOf(error) })
  }
  return [...details.values()]
}

/** The branches of an alternative, and the fact that a name of a map failed, are said by another error. */
function isPartOfAnother(error: ErrorObject): boolean {
  return error.schemaPath.includes('/anyOf/') || error.keyword === 'propertyNames'
}

function pathOf({ instancePath, params, propertyName }: ErrorObject): string {
  const place = instancePath
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
  const { missingProperty, additionalProperty } = params
  const field: unknown = missingProperty ?? additionalProperty ?? propertyName
  if (typeof field !== 'string') return place
  return place === '' ? field : `${place}.${field}`
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

const messages: Readonly<Record<string, (params: ErrorObject['params']) => string>> = {
  required: () => 'This field is required.',
  additionalProperties: () => 'There is no such field.',
  type: ({ type }) => `Must be ${typeNames[String(type)] ?? 'of another type'}.`,
  enum: ({ allowedValues }) => `Must be one of: ${listOf(allowedValues)}.`,
  anyOf: () => 'Lacks a field that it needs.',
  minLength: ({ limit }) => `Must have at least ${limit} characters.`,
  maxLength: ({ limit }) => `Must have at most ${limit} characters.`,
  minItems: ({ limit }) => `Must have at least ${limit} entries.`,
  maxItems: ({ limit }) => `Must have at most ${limit} entries.`,
  minProperties: ({ limit }) => `Must have at least ${limit} fields.`,
  maxProperties: ({ limit }) => `Must have at most ${limit} fields.`,
  minimum: ({ limit }) => `Must be at least ${limit}.`,
  maximum: ({ limit }) => `Must be at most ${limit}.`,
  uniqueItems: () => 'Must not name anything twice.',
}

function messageOf({ keyword, params, propertyName }: ErrorObject): string {
  if (propertyName !== undefined) return 'The name of this field is empty or too long.'
  return messages[keyword]?.(params) ?? 'Is not acceptable here.'
}

function listOf(values: unknown): string {
  return Array.isArray(values) ? values.filter((value) => value !== '').join(', ') : ''
}
