/** What is checked when a recipe that uses managed rules or extends a managed recipe is saved. */

import type { FailureDetail } from '../../domain/failure.ts'
import { inForce, type ManagedRulebook } from '../../events/rulebook/managedRulebook.ts'
import type { Membership, RecipeContent } from '../../events/rulebook/rulebook.ts'
import { extensionOf } from './extension.ts'
import { lackingParameter } from './parameterBindings.ts'
import { parameterProblem } from './parameterValue.ts'

/** What is wrong with the managed recipe it extends, the threshold and each parameter; nothing for a recipe that extends none. */
export function extensionProblems(
  managed: ManagedRulebook,
  content: RecipeContent,
): readonly FailureDetail[] {
  const { base_recipe_id, parameters } = content
  if (base_recipe_id === undefined) {
    if (parameters === undefined) return []
    return [{ path: 'parameters', message: 'Only a recipe with base_recipe_id has parameters.' }]
  }
  const base = inForce(managed.recipes, base_recipe_id)
  if (!base) {
    return [{ path: 'base_recipe_id', message: 'There is no managed recipe with this id.' }]
  }
  const { min, max } = base.threshold_bounds
  const inBounds = content.threshold >= min && content.threshold <= max
  const threshold = { path: 'threshold', message: `Must be from ${min} to ${max}.` }
  const known = new Map(base.parameters.map((parameter) => [parameter.name, parameter]))
  const ofParameters = Object.entries(parameters ?? {}).flatMap(([name, text]) => {
    const parameter = known.get(name)
    const message = parameter
      ? parameterProblem(parameter, text)
      : 'The managed recipe has no such parameter.'
    return message === undefined ? [] : [{ path: `parameters.${name}`, message }]
  })
  return inBounds ? ofParameters : [threshold, ...ofParameters]
}

/** What is wrong with naming a managed rule in this place of the recipe; undefined when it is no managed rule at all. */
export function managedMemberProblems(
  managed: ManagedRulebook,
  content: RecipeContent,
  index: number,
): readonly FailureDetail[] | undefined {
  const member = content.rules[index] as Membership
  const rule = inForce(managed.rules, member.rule_id)
  if (!rule) return undefined
  const at = `rules.${index}`
  if (member.version_id !== undefined) {
    return [{ path: `${at}.version_id`, message: 'A managed rule cannot be pinned.' }]
  }
  const { base, bindings } = extensionOf(managed, content)
  if (base?.rules.some(({ rule_id }) => rule_id === member.rule_id)) {
    return [{ path: `${at}.rule_id`, message: 'The recipe that is extended has this rule.' }]
  }
  const lacking = lackingParameter(rule.parameters, bindings)
  if (lacking === undefined) return []
  const message = `The managed rule reads the parameter ${lacking}, which this recipe does not have.`
  return [{ path: `${at}.rule_id`, message }]
}
