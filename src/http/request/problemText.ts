/** What is wrong with a field, in a sentence that says what would be right. */

import type { ErrorObject } from 'ajv/dist/2020.js'
import { nearest } from '../../domain/nearest.ts'
import { expectedText } from './expectedText.ts'
import type { Schema } from './schema.ts'
import { shortened } from './shortened.ts'
import { unknownName } from './unknownName.ts'

/** A problem as ajv reports it with `verbose`, which adds the schema that holds the keyword and the value that broke it. */
export function problemText({ keyword, params, data, ...error }: ErrorObject): string {
  const schema: Schema = error.parentSchema ?? {}
  if (error.propertyName !== undefined)
    return `Its name must be ${expectedText({ type: 'string', ...schema })}.`
  const special = specialTexts[keyword]
  if (special) return special(schema, params, data)
  return `Must be ${expectedText(schema)}${meant(schema, data)}`
}

type Params = Readonly<Record<string, unknown>>
type Special = (schema: Schema, params: Params, data: unknown) => string

/** Of the keywords that speak of other fields than the one that they stand at. */
const specialTexts: Readonly<Record<string, Special>> = {
  required: (schema, { missingProperty }, data) => {
    const name = String(missingProperty)
    const field = propertiesOf(schema)[name]
    const expected = field ? `: ${expectedText(field)}` : ''
    return `This field is required${expected}${mistyped([name], schema, data)}.`
  },
  additionalProperties: (schema, { additionalProperty }) =>
    unknownName('field', String(additionalProperty), Object.keys(propertiesOf(schema))),
  anyOf: (schema, _params, data) => {
    const alternatives = requiredOfEach(schema['anyOf'])
    const fields = alternatives.map((names) => names.join(' and ')).join(', or ')
    return `Must have ${fields}${mistyped(alternatives.flat(), schema, data)}.`
  },
  not: (schema) => `Must not have both ${requiredOfEach([schema['not']]).flat().join(' and ')}.`,
  uniqueItems: () => 'Must not name anything twice.',
}

function propertiesOf({ properties }: Schema): Readonly<Record<string, Schema>> {
  return { ...(properties as Record<string, Schema> | undefined) }
}

/** The fields that each alternative requires. */
function requiredOfEach(alternatives: unknown): readonly (readonly string[])[] {
  const schemas = Array.isArray(alternatives) ? (alternatives as readonly Schema[]) : []
  return schemas.map(({ required }) => (Array.isArray(required) ? required.map(String) : []))
}

/** Unknown fields that are looked at for one that was meant; where unknown ones are refused, that says it. */
const lookedAt = 20

function mistyped(missing: readonly string[], schema: Schema, data: unknown): string {
  if (schema['additionalProperties'] === false || typeof data !== 'object') return ''
  const known = propertiesOf(schema)
  for (const given of Object.keys({ ...data }).slice(0, lookedAt)) {
    const near = given in known ? undefined : nearest(given, missing)
    if (near !== undefined) return ` (is it ${shortened(given, 64)}?)`
  }
  return ''
}

function meant({ enum: values }: Schema, given: unknown): string {
  if (!Array.isArray(values) || typeof given !== 'string') return '.'
  const near = nearest(
    given,
    values.map(String).filter((value) => value !== ''),
  )
  return near === undefined ? '.' : `; did you mean ${near}?`
}
