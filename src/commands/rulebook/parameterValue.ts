/** Values of parameters: written as texts, bound into rules as literals. */

import type { ParameterLiteral } from '../../engine/language/bindParameters.ts'
import type { ParameterType, RecipeParameter } from '../../events/rulebook/managedRulebook.ts'

/** Characters of one value: what a text written in a rule may have. */
const valueChars = 1024

const forms = {
  INT: /^-?\d{1,16}$/,
  DOUBLE: /^-?\d{1,64}(?:\.\d{1,64})?(?:e[+-]?\d{1,3})?$/i,
} as const

/** The literal that the text is as a value of the type; undefined when it is none. */
export function parameterLiteral(type: ParameterType, text: string): ParameterLiteral | undefined {
  switch (type) {
    case 'BOOL':
      return truths.has(text) ? { type: 'bool', value: text === 'true' } : undefined
    case 'INT':
    case 'DOUBLE':
      return numberLiteral(type, text)
    default:
      return text.length <= valueChars ? { type: 'string', value: text } : undefined
  }
}

const truths: ReadonlySet<string> = new Set(['true', 'false'])

function numberLiteral(type: 'INT' | 'DOUBLE', text: string): ParameterLiteral | undefined {
  const value = forms[type].test(text) ? Number(text) : Number.NaN
  if (type === 'DOUBLE') return Number.isFinite(value) ? { type: 'double', value } : undefined
  // there is no negative zero among the ints
  return Number.isSafeInteger(value) ? { type: 'int', value: value + 0 } : undefined
}

const wanted: Readonly<Record<ParameterType, string>> = {
  BOOL: 'true or false',
  INT: 'a whole number',
  DOUBLE: 'a number',
  STRING: `a text of at most ${valueChars} characters`,
  ENUM: 'one of its values',
}

/** What is wrong with the text as a value of the parameter; undefined when nothing is. */
export function parameterProblem(parameter: RecipeParameter, text: string): string | undefined {
  const { type, value_min, value_max, values } = parameter
  const literal = parameterLiteral(type, text)
  if (!literal) return `Must be ${wanted[type]}.`
  if (type === 'ENUM' && values?.includes(text) !== true) {
    return `Must be one of: ${(values ?? []).join(', ')}.`
  }
  if (typeof literal.value !== 'number') return undefined
  if (value_min !== undefined && literal.value < value_min) return `Must be at least ${value_min}.`
  if (value_max !== undefined && literal.value > value_max) return `Must be at most ${value_max}.`
  return undefined
}
