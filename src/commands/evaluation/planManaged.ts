/** Managed rules in a customer's recipe: named by it, or there because it extends a managed recipe. */

import { bindParameters } from '../../engine/language/bindParameters.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { PlannedRule } from '../../engine/run/plan.ts'
import {
  inForce,
  type ManagedMembership,
  type ManagedRecipeVersion,
  type ManagedRulebook,
} from '../../events/rulebook/managedRulebook.ts'
import type { RecipeContent } from '../../events/rulebook/rulebook.ts'
import {
  bindingsOf,
  lackingParameter,
  noParameters,
  type ParameterBindings,
} from '../rulebook/parameterBindings.ts'

/** What a recipe has of the managed recipe it extends. */
export interface Extension {
  /** Undefined for a recipe that extends none. */
  readonly base: ManagedRecipeVersion | undefined
  /** False once the operator has retired it: its rules are then named and unavailable. */
  readonly inForce: boolean
  readonly bindings: ParameterBindings
}

const none: Extension = { base: undefined, inForce: false, bindings: noParameters }

/** The extension of a recipe. */
export function extensionOf(
  managed: ManagedRulebook,
  { base_recipe_id, parameters }: Pick<RecipeContent, 'base_recipe_id' | 'parameters'>,
): Extension {
  const entry = base_recipe_id === undefined ? undefined : managed.recipes.get(base_recipe_id)
  if (!entry) return none
  const base = entry.current
  const bindings = entry.retired ? noParameters : bindingsOf(base.parameters, parameters)
  return { base, inForce: !entry.retired, bindings }
}

/** The rules that come with the extension. */
export function planBase(managed: ManagedRulebook, extension: Extension): readonly PlannedRule[] {
  const { base, bindings } = extension
  return (base?.rules ?? []).map((member) => {
    const { expression, ...unavailable } = planManaged(managed, member, bindings)
    return extension.inForce && expression ? { ...unavailable, expression } : unavailable
  })
}

/**
 * A managed rule in its place, its parameters written into it. Without an expression when it is retired or reads a parameter that the
 * recipe does not have: it then reports `unavailable` (design 4.7).
 */
export function planManaged(
  managed: ManagedRulebook,
  { rule_id, weight, preempts }: ManagedMembership,
  bindings: ParameterBindings,
): PlannedRule {
  const last = managed.rules.get(rule_id)?.current
  const expression = boundExpression(managed, rule_id, bindings)
  return {
    rule_id,
    type: 'MANAGED',
    // neither is shown to customers; the record needs both
    name: last?.name ?? rule_id,
    version_id: last?.version_id ?? '-',
    weight,
    ...(preempts && { preempts }),
    ...(expression && { expression }),
  }
}

/** The version that runs, as a part of a fingerprint. */
export function managedVersionOf(managed: ManagedRulebook, ruleId: string): string {
  return inForce(managed.rules, ruleId)?.version_id ?? '-'
}

function boundExpression(
  managed: ManagedRulebook,
  ruleId: string,
  bindings: ParameterBindings,
): Expression | undefined {
  const version = inForce(managed.rules, ruleId)
  if (!version || lackingParameter(version.parameters, bindings) !== undefined) return undefined
  return bindParameters(version.expression, bindings)
}
