/** Binds the parameters of managed rules and recipes to their values, and checks the values. */

import type { ParameterLiteral } from '../../engine/language/bindParameters.ts'
import {
  type ManagedRecipeVersion,
  type ManagedRulebook,
  type ParameterType,
  type RecipeParameter,
  type RuleParameter,
  valueTypeByParameterType,
} from '../../events/rulebook/managedRulebook.ts'
import type { RecipeContent } from '../../events/rulebook/rulebook.ts'

export type ParameterBindings = ReadonlyMap<string, ParameterLiteral>

/** What a recipe has of the managed recipe it extends. */
export interface RecipeExtension {
  /** Undefined for a recipe that extends none. */
  readonly base: ManagedRecipeVersion | undefined
  /** False once the operator has retired it: its rules are then named and unavailable. */
  readonly inForce: boolean
  readonly bindings: ParameterBindings
}

export function resolveExtension(
  managed: ManagedRulebook,
  { base_recipe_id, parameters }: Pick<RecipeContent, 'base_recipe_id' | 'parameters'>,
): RecipeExtension {
  const { last, current } = managed.recipes.get(base_recipe_id ?? '') ?? {}
  const bindings = bindParameterValues(current?.parameters ?? [], parameters)
  return { base: last, inForce: current !== undefined, bindings }
}

/**
 * The values of the parameters: as given, else their defaults. A value that was given while the parameter had another
 * type is ignored. Bounds are checked when a recipe is saved, not here.
 */
export function bindParameterValues(
  parameters: readonly RecipeParameter[],
  given: Readonly<Record<string, string>> = {},
): ParameterBindings {
  const values = new Map<string, ParameterLiteral>()
  for (const { name, type, default_value } of parameters) {
    const text = Object.hasOwn(given, name) ? given[name] : undefined
    const literal = parseParameterLiteral(type, text ?? default_value)
    if (literal) values.set(name, literal)
  }
  return values
}

/** The first parameter that a rule reads and the recipe has not, or of another type; undefined without one. */
export function findUnboundParameter(
  parameters: readonly RuleParameter[],
  bindings: ParameterBindings,
): string | undefined {
  return parameters.find(
    ({ name, type }) => bindings.get(name)?.type !== valueTypeByParameterType[type],
  )?.name
}

/** Characters of one value: what a text written in a rule may have. */
const valueChars = 1024

interface ParameterForm {
  /** The literal that the text is; undefined when it is none. */
  readonly read: (text: string) => ParameterLiteral | undefined
  readonly expected: string
}

const parseText = (text: string): ParameterLiteral | undefined =>
  text.length <= valueChars ? { type: 'string', value: text } : undefined

const parameterForms: Readonly<Record<ParameterType, ParameterForm>> = {
  BOOL: {
    read: (text) =>
      text === 'true' || text === 'false' ? { type: 'bool', value: text === 'true' } : undefined,
    expected: 'true or false',
  },
  INT: {
    read: (text) => {
      // there is no negative zero among the ints
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) + 0 : Number.NaN
      return Number.isSafeInteger(value) ? { type: 'int', value } : undefined
    },
    expected: 'a whole number',
  },
  DOUBLE: {
    read: (text) => {
      const isNumber = /^-?\d{1,64}(?:\.\d{1,64})?(?:e[+-]?\d{1,3})?$/i.test(text)
      const value = isNumber ? Number(text) : Number.NaN
      return Number.isFinite(value) ? { type: 'double', value } : undefined
    },
    expected: 'a number',
  },
  STRING: { read: parseText, expected: `a text of at most ${valueChars} characters` },
  ENUM: { read: parseText, expected: 'one of its values' },
}

/** The literal that the text is as a value of the type; undefined when it is none. */
export function parseParameterLiteral(
  type: ParameterType,
  text: string,
): ParameterLiteral | undefined {
  return parameterForms[type].read(text)
}

/** The problem of the text as a value of the parameter; undefined when it is valid. */
export function findParameterProblem(parameter: RecipeParameter, text: string): string | undefined {
  const { type, value_min, value_max, values } = parameter
  const literal = parseParameterLiteral(type, text)
  if (!literal) return `Must be ${parameterForms[type].expected}.`
  if (type === 'ENUM' && values?.includes(text) !== true) {
    return `Must be one of: ${(values ?? []).join(', ')}.`
  }
  if (typeof literal.value !== 'number') return undefined
  if (value_min !== undefined && literal.value < value_min) return `Must be at least ${value_min}.`
  if (value_max !== undefined && literal.value > value_max) return `Must be at most ${value_max}.`
  return undefined
}
