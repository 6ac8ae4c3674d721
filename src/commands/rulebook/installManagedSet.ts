/** Brings what ships with the product into the managed rulebook. */

import { shippedId } from '../../domain/managedAccount.ts'
import { managedRecipeContent, managedRuleContent } from '../../events/rulebook/contents.ts'
import type {
  ManagedEntry,
  ManagedEvent,
  ManagedRecipeContent,
  ManagedRecipeVersion,
  ManagedRulebook,
  ManagedRuleContent,
  ManagedRuleVersion,
} from '../../events/rulebook/managedRulebook.ts'
import type { ShippedRecipe } from '../../managed/recipes.ts'
import type { ShippedRule } from '../../managed/rules.ts'
import type { ShippedSet } from '../../managed/shippedSet.ts'
import { compileManagedRule } from './compileManagedRule.ts'
import { isSame } from './publishing.ts'

/**
 * The decision: a set that is newer than the installed one is taken over, except for what the operator has changed or retired since;
 * any other set changes nothing. Throws an `Error` for a rule that does not compile.
 */
export function installManagedSet(set: ShippedSet) {
  return (state: ManagedRulebook): readonly ManagedEvent[] => {
    if (state.setVersion >= set.version) return []
    return [
      ...set.rules.flatMap((rule) => ruleEvents(state, rule, set.version)),
      ...set.recipes.flatMap((recipe) => recipeEvents(state, recipe, set.version)),
      { type: 'ManagedSetInstalled', data: { version: set.version } },
    ]
  }
}

function ruleEvents(
  state: ManagedRulebook,
  rule: ShippedRule,
  shipped: number,
): readonly ManagedEvent[] {
  const rule_id = shippedId('rul', rule.key)
  const content = shippedRule(rule)
  const entry: ManagedEntry<ManagedRuleVersion> | undefined = state.rules.get(rule_id)
  if (isTheOperators(entry)) return []
  if (isSame(entry && managedRuleContent(entry.current), content)) return []
  const version_id = shippedId('ver', `${rule.key} ${shipped}`)
  return [{ type: 'ManagedRulePublished', data: { rule_id, version_id, ...content, shipped } }]
}

function recipeEvents(
  state: ManagedRulebook,
  recipe: ShippedRecipe,
  shipped: number,
): readonly ManagedEvent[] {
  const recipe_id = shippedId('rcp', recipe.key)
  const content = shippedRecipe(recipe)
  const entry: ManagedEntry<ManagedRecipeVersion> | undefined = state.recipes.get(recipe_id)
  if (isTheOperators(entry)) return []
  if (isSame(entry && managedRecipeContent(entry.current), content)) return []
  const version_id = shippedId('ver', `${recipe.key} ${shipped}`)
  return [{ type: 'ManagedRecipePublished', data: { recipe_id, version_id, ...content, shipped } }]
}

function isTheOperators(entry: ManagedEntry<{ readonly shipped?: number }> | undefined): boolean {
  return entry !== undefined && (entry.retired || entry.current.shipped === undefined)
}

function shippedRule(rule: ShippedRule): ManagedRuleContent {
  const { name, description, text, parameters = [] } = rule
  const parsed = compileManagedRule(text, parameters)
  if ('expression' in parsed) {
    return { name, description, text, expression: parsed.expression, parameters }
  }
  throw new Error(`the rule ${rule.key} does not compile: ${parsed.problems[0]?.message}`)
}

function shippedRecipe({ key: _, rules, ...recipe }: ShippedRecipe): ManagedRecipeContent {
  const members = rules.map(({ rule, ...member }) => ({
    rule_id: shippedId('rul', rule),
    ...member,
  }))
  return { ...recipe, rules: members }
}
