/** What a schema expects, in words. */

type Words = Readonly<Record<string, unknown>>

/** `a string of 1 to 128 characters`, `one of: PASS, FLAG`, `a list of at most 50 entries or true or false`; what stands behind `must be`. */
export function expectedText(schema: Words): string {
  const { type, enum: values, const: only } = schema
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(values)) return `one of: ${listed(values)}`
  const types = Array.isArray(type) ? type : [type]
  return types.map((one) => texts[String(one)]?.(schema) ?? 'something else').join(' or ')
}

const texts: Readonly<Record<string, (schema: Words) => string>> = {
  array: ({ minItems, maxItems }) => `a list${sized(minItems, maxItems, 'entries')}`,
  boolean: () => 'true or false',
  integer: ({ minimum, maximum }) => `a whole number${ranged(minimum, maximum)}`,
  null: () => 'null',
  number: ({ minimum, maximum }) => `a number${ranged(minimum, maximum)}`,
  object: ({ minProperties, maxProperties }) =>
    `an object${sized(minProperties, maxProperties, 'fields')}`,
  string: ({ minLength, maxLength, pattern }) =>
    `a string${sized(minLength, maxLength, 'characters')}${pattern === undefined ? '' : ` that fits ${pattern}`}`,
}

function ranged(min: unknown, max: unknown): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? '' : ` of at most ${max}`
}

function sized(min: unknown, max: unknown, unit: string): string {
  if (min !== undefined && min === max) return ` of exactly ${min} ${unit}`
  if (min !== undefined && max !== undefined) return ` of ${min} to ${max} ${unit}`
  if (min !== undefined) return ` of at least ${min} ${unit}`
  return max === undefined ? '' : ` of at most ${max} ${unit}`
}

/** An empty value stands for nothing at all, and is not told. */
function listed(values: readonly unknown[]): string {
  return values
    .filter((value) => value !== '')
    .map(String)
    .join(', ')
}
