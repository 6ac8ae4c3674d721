/** Checks values against JSON Schemas and says what is wrong with every field (spec 7.1). */

import {
  Ajv2020,
  type AnySchemaObject,
  type ErrorObject,
  type ValidateFunction,
} from 'ajv/dist/2020.js'
import type { FailureDetail } from '../../domain/failure.ts'
import { problemText } from './problemText.ts'
import type { Schema } from './schema.ts'

/** An answer names at most so many problems, so that a hostile body cannot make a large answer. */
const detailsMax = 100

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  messages: false,
  // what `problemText` needs
  verbose: true,
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
    if (!details.has(path)) details.set(path, { path, message: problemText(error) })
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
