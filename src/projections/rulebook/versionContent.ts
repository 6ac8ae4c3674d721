/** What a version of a rule, recipe or flow says, as who keeps it reads it: without its ids, and without a status. */

import { type AuthoredRule, authoredRule } from '../../events/rulebook/authoredRule.ts'
import {
  type AuthoredRecipe,
  flowContent,
  managedRecipeContent,
  managedRuleContent,
  recipeContent,
  ruleContent,
} from '../../events/rulebook/contents.ts'
import type {
  ManagedRecipeContent,
  ManagedRuleContent,
} from '../../events/rulebook/managedRulebook.ts'
import type { FlowContent, RuleContent } from '../../events/rulebook/rulebook.ts'
import type { VersionEvent } from '../../events/rulebook/versionEvents.ts'

export type VersionContent =
  | AuthoredRule<RuleContent>
  | AuthoredRecipe
  | FlowContent
  | AuthoredRule<ManagedRuleContent>
  | ManagedRecipeContent

/** What the version says. */
export function versionContent({ type, data }: VersionEvent): VersionContent {
  switch (type) {
    case 'RulePublished':
    case 'RuleRestored':
      return authoredRule(ruleContent(data))
    case 'RecipePublished':
    case 'RecipeRestored':
      return recipeContent(data)
    case 'FlowPublished':
    case 'FlowRestored':
      return flowContent(data)
    case 'ManagedRulePublished':
    case 'ManagedRuleRestored':
      return authoredRule(managedRuleContent(data))
    case 'ManagedRecipePublished':
    case 'ManagedRecipeRestored':
      return managedRecipeContent(data)
  }
}
