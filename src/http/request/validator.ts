/** Checks values against JSON Schemas and says what is wrong with every field (spec 7.1). */

import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FailureDetail } from '../../domain/failure.ts'
import { problemText } from './problemText.ts'
import type { Schema } from './schema.ts'

/** An answer names at most so many problems, so that a hostile body cannot make a large answer. */
const detailsMax = 100

/** Values of a body in which every problem is looked for; in a larger one the first is enough, since each that is found costs memory. */
const searchedMax = 10_000

const options: Options = {
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  messages: false,
  // what `problemText` needs
  verbose: true,
  formats: { int64: true },
}
const searching = new Ajv2020({ ...options, allErrors: true })
const stopping = new Ajv2020({ ...options, allErrors: false })

/** The check of a schema. */
export interface Check<Value> {
  (value: unknown): value is Value
  /** The problems of the value last checked. */
  errors?: ValidateFunction['errors']
}

/** The check of a schema, compiled once. Throws when the schema is none. */
export function compileSchema<Value>(schema: Schema): Check<Value> {
  const thorough = searching.compile<Value>(schema)
  let quick: ValidateFunction<Value> | undefined
  const stoppingCheck = () => {
    quick ??= stopping.compile<Value>(schema)
    return quick
  }
  const check: Check<Value> = (value): value is Value => {
    const validate = isSmall(value) ? thorough : stoppingCheck()
    const fits = validate(value)
    check.errors = validate.errors
    return fits
  }
  return check
}

function isSmall(value: unknown): boolean {
  const open = [value]
  for (let seen = 1; open.length > 0; ) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    const values: readonly unknown[] = Object.values(next)
    seen += values.length
    if (seen > searchedMax) return false
    open.push(...values)
  }
  return true
}

/** Whether these are all the problems that a value has. */
export function isEveryProblem(value: unknown, details: readonly FailureDetail[]): boolean {
  return details.length < detailsMax && isSmall(value)
}

/**
 * The problems of the value last checked, each under its dotted path (`rules.0.rule_id`); a missing or unknown field under the
 * path it has or would have; at most 100, and of a very large value the first.
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
