/** A version as a rulebook holds it, of the event that gives it; undefined where it is of another kind, or there is none. */

import type {
  ManagedRecipeVersion,
  ManagedRuleVersion,
} from '../../events/rulebook/managedRulebook.ts'
import {
  type FlowVersion,
  type RecipeVersion,
  type RuleVersion,
  ruleVersionOf,
} from '../../events/rulebook/rulebook.ts'
import type { VersionEvent } from '../../events/rulebook/versionEvents.ts'

type Given = VersionEvent | undefined

export function ruleOfEvent(event: Given): RuleVersion | undefined {
  const isRule = event?.type === 'RulePublished' || event?.type === 'RuleRestored'
  return isRule ? ruleVersionOf(event.data) : undefined
}

export function recipeOfEvent(event: Given): RecipeVersion | undefined {
  if (event?.type !== 'RecipePublished' && event?.type !== 'RecipeRestored') return undefined
  const { recipe_id: _, status: __, ...version } = event.data
  return version
}

export function flowOfEvent(event: Given): FlowVersion | undefined {
  if (event?.type !== 'FlowPublished' && event?.type !== 'FlowRestored') return undefined
  const { flow_id: _, ...version } = event.data
  return version
}

export function managedRuleOfEvent(event: Given): ManagedRuleVersion | undefined {
  const isRule = event?.type === 'ManagedRulePublished' || event?.type === 'ManagedRuleRestored'
  if (!isRule) return undefined
  const { rule_id: _, ...version } = event.data
  return version
}

export function managedRecipeOfEvent(event: Given): ManagedRecipeVersion | undefined {
  const isRecipe =
    event?.type === 'ManagedRecipePublished' || event?.type === 'ManagedRecipeRestored'
  if (!isRecipe) return undefined
  const { recipe_id: _, ...version } = event.data
  return version
}
