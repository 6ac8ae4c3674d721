/** What the rules of a recipe find under `param.<name>`. */

import type { ParameterLiteral } from '../../engine/language/bindParameters.ts'
import type { RecipeParameter, RuleParameter } from '../../events/rulebook/managedRulebook.ts'
import { valueTypeOf } from '../../events/rulebook/managedRulebook.ts'
import { parameterLiteral } from './parameterValue.ts'

export type ParameterBindings = ReadonlyMap<string, ParameterLiteral>

/** What a recipe that extends none has. */
export const noParameters: ParameterBindings = new Map()

/**
 * The values of the parameters: as given, else their defaults. A value that was given while the parameter was of another type is
 * none. Bounds are looked at when a recipe is saved, not here.
 */
export function bindingsOf(
  parameters: readonly RecipeParameter[],
  given: Readonly<Record<string, string>> = {},
): ParameterBindings {
  const values = new Map<string, ParameterLiteral>()
  for (const { name, type, default_value } of parameters) {
    const text = Object.hasOwn(given, name) ? given[name] : undefined
    const literal = parameterLiteral(type, text ?? default_value)
    if (literal) values.set(name, literal)
  }
  return values
}

/** The first parameter that a rule reads and the recipe does not have, or has of another type; undefined when there is none. */
export function lackingParameter(
  parameters: readonly RuleParameter[],
  bindings: ParameterBindings,
): string | undefined {
  return parameters.find(({ name, type }) => bindings.get(name)?.type !== valueTypeOf(type))?.name
}
