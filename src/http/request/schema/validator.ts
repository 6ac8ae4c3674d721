/** Validates values against JSON Schemas and describes every invalid field (spec 7.1). */

import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import type { FailureDetail } from '../../../domain/failure.ts'
import { type Schema, type SchemaOf, visibleKeyword } from '../../../domain/jsonSchema.ts'
import { nearestName } from '../../../domain/text/nearestName.ts'
import { findHiddenCharacter } from '../../../domain/text/visibleName.ts'
import { truncate } from '../errorBodies.ts'

/** Known names listed in a message at most, and characters of an unknown one. */
const listedMax = 30
const nameCharsMax = 64

/** Keywords about other fields than the one they are declared on. */
const specialTexts: Readonly<Record<string, Special>> = {
  required: (schema, { missingProperty }, data) => {
    const name = String(missingProperty)
    const field = getProperties(schema)[name]
    const expected = field ? `: ${describeExpected(field)}` : ''
    return `This field is required${expected}${describeMistyped([name], schema, data)}.`
  },
  additionalProperties: (schema, { additionalProperty }) =>
    describeUnknownName('field', String(additionalProperty), Object.keys(getProperties(schema))),
  anyOf: (schema, _params, data) => {
    const alternatives = listRequired(schema['anyOf'])
    const fields = alternatives.map((names) => names.join(' and ')).join(', or ')
    return `Must have ${fields}${describeMistyped(alternatives.flat(), schema, data)}.`
  },
  not: (schema) => `Must not have both ${listRequired([schema['not']]).flat().join(' and ')}.`,
  [visibleKeyword]: (_schema, { character }) =>
    `Must not contain ${String(character)}, which is a control character or invisible.`,
  uniqueItems: () => 'Must not name anything twice.',
}

/** Unknown fields that are compared with a missing one; where unknown ones are refused, that says it. */
const comparedMax = 20

/** An answer names at most so many problems, so that a hostile body cannot make a large answer. */
const detailsMax = 100

/** Bodies with more values report only their first problem, since each problem costs memory. */
const searchedMax = 10_000

const options: Options = {
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  messages: false,
  // what `describeProblem` needs
  verbose: true,
  formats: { int64: true },
}
const reportingAll = openAjv(true)
const reportingFirst = openAjv(false)

function openAjv(allErrors: boolean): Ajv2020 {
  return new Ajv2020({ ...options, allErrors }).addKeyword({
    keyword: visibleKeyword,
    type: 'string',
    schemaType: 'boolean',
    // what is too short or too long is decided without outer white space
    before: 'maxLength',
    modifying: true,
    errors: true,
    compile: () => checkVisible,
  })
}

/** Removes outer white space from a name; whether all that is left is shown. */
const checkVisible: DataValidateFunction = (given: string, context) => {
  const name = given.trim()
  if (context) context.parentData[context.parentDataProperty] = name
  const character = findHiddenCharacter(name)
  checkVisible.errors = [{ keyword: visibleKeyword, params: { character } }]
  return character === undefined
}

export interface SchemaCheck<Value> {
  (value: unknown): value is Value
  /** The problems of the value last checked. */
  errors?: ValidateFunction['errors']
}

/** Compiles a schema into a check. Throws for an invalid schema. */
export function compileSchema<Value>(schema: Schema | SchemaOf<Value>): SchemaCheck<Value> {
  const reportAll = reportingAll.compile<Value>(schema)
  let reportFirst: ValidateFunction<Value> | undefined
  const check: SchemaCheck<Value> = (value): value is Value => {
    let validate = reportAll
    if (!isSmall(value)) {
      reportFirst ??= reportingFirst.compile<Value>(schema)
      validate = reportFirst
    }
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

/** Whether the details are complete; large values are checked only up to the first problem. */
export function areDetailsComplete(value: unknown, details: readonly FailureDetail[]): boolean {
  return details.length < detailsMax && isSmall(value)
}

/**
 * The problems of the value last checked, each under its dotted path (`rules.0.rule_id`); a missing or unknown field
 * under the path it has or would have; at most 100, and of a very large value the first.
 */
export function toFailureDetails(errors: ValidateFunction['errors']): FailureDetail[] {
  const details = new Map<string, FailureDetail>()
  for (const error of errors ?? []) {
    if (details.size === detailsMax) break
    if (isPartOfAnother(error) || isMistyped(error, errors ?? [])) continue
    const path = buildPath(error)
    if (!details.has(path)) details.set(path, { path, message: describeProblem(error) })
  }
  return [...details.values()]
}

/** The branches of an alternative, and the fact that a name of a map failed, are said by another error. */
function isPartOfAnother(error: ErrorObject): boolean {
  return error.schemaPath.includes('/anyOf/') || error.keyword === 'propertyNames'
}

/** Whether a field is missing because a name near to its own was given, which is told instead. */
function isMistyped(
  { instancePath, params }: ErrorObject,
  errors: readonly ErrorObject[],
): boolean {
  const missing: unknown = params['missingProperty']
  if (typeof missing !== 'string') return false
  return errors.some(
    (other) =>
      other.instancePath === instancePath &&
      typeof other.params['additionalProperty'] === 'string' &&
      nearestName(other.params['additionalProperty'], [missing]) !== undefined,
  )
}

function buildPath({ instancePath, params, propertyName }: ErrorObject): string {
  const object = instancePath
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
  const { missingProperty, additionalProperty } = params
  const field: unknown = missingProperty ?? additionalProperty ?? propertyName
  if (typeof field !== 'string') return object
  return object === '' ? field : `${object}.${field}`
}

/** A problem as ajv reports it with `verbose`: with the schema that holds the keyword, and the value. */
function describeProblem({ keyword, params, data, ...error }: ErrorObject): string {
  const schema: Schema = error.parentSchema ?? {}
  if (error.propertyName !== undefined)
    return `Its name must be ${describeExpected({ type: 'string', ...schema })}.`
  const special = specialTexts[keyword]
  if (special) return special(schema, params, data)
  return `Must be ${describeExpected(schema)}${suggestEnumValue(schema, data)}`
}

type Params = Readonly<Record<string, unknown>>
type Special = (schema: Schema, params: Params, data: unknown) => string

function getProperties({ properties }: Schema): Readonly<Record<string, Schema>> {
  return { ...(properties as Record<string, Schema> | undefined) }
}

/** The fields that each alternative requires. */
function listRequired(alternatives: unknown): readonly (readonly string[])[] {
  const schemas = Array.isArray(alternatives) ? (alternatives as readonly Schema[]) : []
  return schemas.map(({ required }) => (Array.isArray(required) ? required.map(String) : []))
}

function describeMistyped(missing: readonly string[], schema: Schema, data: unknown): string {
  if (schema['additionalProperties'] === false || typeof data !== 'object') return ''
  const known = getProperties(schema)
  for (const given of Object.keys({ ...data }).slice(0, comparedMax)) {
    const near = given in known ? undefined : nearestName(given, missing)
    if (near !== undefined) return ` (is it ${truncate(given, nameCharsMax)}?)`
  }
  return ''
}

function suggestEnumValue({ enum: values }: Schema, given: unknown): string {
  if (!Array.isArray(values) || typeof given !== 'string') return '.'
  return describeSuggestion(given, values.map(String).filter(Boolean))
}

function describeSuggestion(given: string, names: readonly string[]): string {
  const near = nearestName(given, names)
  return near === undefined ? '.' : `; did you mean ${near}?`
}

/**
 * `a string of 1 to 128 characters`, `one of: PASS, FLAG`, `a list of at most 50 entries or true or false`; what stands
 * behind `must be`.
 */
function describeExpected(schema: Schema): string {
  const { type, enum: values, const: only } = schema
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(values)) {
    // an empty value stands for nothing at all, and is not told
    return `one of: ${values.map(String).filter(Boolean).join(', ')}`
  }
  const types = Array.isArray(type) ? type : [type]
  return types.map((one) => texts[String(one)]?.(schema) ?? 'something else').join(' or ')
}

const texts: Readonly<Record<string, (schema: Schema) => string>> = {
  array: ({ minItems, maxItems }) =>
    `a list${describeBounds(minItems, maxItems, ['entry', 'entries'])}`,
  boolean: () => 'true or false',
  integer: ({ minimum, maximum }) => `a whole number${describeBounds(minimum, maximum)}`,
  null: () => 'null',
  number: ({ minimum, maximum }) => `a number${describeBounds(minimum, maximum)}`,
  object: ({ minProperties, maxProperties }) =>
    `an object${describeBounds(minProperties, maxProperties, ['field', 'fields'])}`,
  string: ({ minLength, maxLength, pattern }) =>
    `a string${describeBounds(minLength, maxLength, ['character', 'characters'])}${pattern === undefined ? '' : ` that fits ${pattern}`}`,
}

/** With the unit for one and for many. */
function describeBounds(min: unknown, max: unknown, units?: readonly [string, string]): string {
  const unit = units === undefined ? '' : ` ${units[(max ?? min) === 1 ? 0 : 1]}`
  if (min === undefined) return max === undefined ? '' : ` of at most ${max}${unit}`
  if (max === undefined) return ` of at least ${min}${unit}`
  if (unit === '') return ` from ${min} to ${max}`
  return min === max ? ` of exactly ${min}${unit}` : ` of ${min} to ${max}${unit}`
}

/** A sentence with the unknown name, a suggestion and the known names. */
export function describeUnknownName(
  kind: 'parameter' | 'field',
  given: string,
  known: readonly string[],
): string {
  const sentence = `There is no ${kind} ${truncate(given, nameCharsMax)}${describeSuggestion(given, known)}`
  if (known.length === 0) return `${sentence} None is known here.`
  const more = known.length > listedMax ? ', …' : ''
  return `${sentence} Known: ${known.slice(0, listedMax).join(', ')}${more}.`
}
