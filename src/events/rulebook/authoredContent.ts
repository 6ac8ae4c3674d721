/** Picks the authored fields of rules, recipes, flows; converts rules to and from recorded form. */

import type { Expression } from '../../engine/language/expression.ts'
import type { ManagedRecipeContent, ManagedRuleContent } from './managedRulebook.ts'
import type { FlowContent, RecipeContent, RuleContent } from './rulebook.ts'
import type { VersionEvent } from './versionEvents.ts'

export type AuthoredRecipe = Omit<RecipeContent, 'managed'>

export const pickRuleContent = pickFields<RuleContent>({ name: true, text: true, expression: true })

export const pickRecipeContent = pickFields<AuthoredRecipe>({
  name: true,
  threshold: true,
  rules: true,
  base_recipe_id: true,
  parameters: true,
})

export const pickFlowContent = pickFields<FlowContent>({ name: true, recipes: true })

export const pickManagedRuleContent = pickFields<ManagedRuleContent>({
  name: true,
  description: true,
  text: true,
  expression: true,
  parameters: true,
})

export const pickManagedRecipeContent = pickFields<ManagedRecipeContent>({
  name: true,
  description: true,
  threshold: true,
  threshold_bounds: true,
  parameters: true,
  rules: true,
})

/** Every member of a type by name: one that is added to the type must be named. */
type FieldsOf<Type> = Readonly<Record<keyof Type, true>>

/**
 * Makes the function that cuts an object to these members, in this order; what is absent or undefined stays away, and
 * so does whatever else the object has.
 */
function pickFields<Type extends object>(fields: FieldsOf<Type>): (from: Type) => Type {
  const names = Object.keys(fields) as (keyof Type)[]
  return (from) => {
    const picked: Partial<Type> = {}
    for (const name of names) if (from[name] !== undefined) picked[name] = from[name]
    return picked as Type
  }
}

interface RecordedRule {
  readonly text: string
  /** An `Expression`, or its JSON text. */
  readonly expression: unknown
}

export type AuthoredRule<Rule extends RecordedRule> = Omit<Rule, keyof RecordedRule> & {
  readonly expression: string
}

export function toAuthoredRule<Rule extends RecordedRule>(rule: Rule): AuthoredRule<Rule> {
  const { text, expression: _, ...rest } = rule
  return { ...rest, expression: text }
}

/** The rule as it is recorded; `expression` is what the author's expression compiles to. */
export function toRecordedRule<Rule extends { readonly expression: string }>(
  rule: Rule,
  expression: Expression,
) {
  const { expression: text, ...rest } = rule
  return { ...rest, text, expression }
}

/** What the author of a version wrote. */
export type VersionContent =
  | AuthoredRule<RuleContent>
  | AuthoredRecipe
  | FlowContent
  | AuthoredRule<ManagedRuleContent>
  | ManagedRecipeContent

/** The content of the version that the event gives. */
export function pickAuthoredContent({ type, data }: VersionEvent): VersionContent {
  switch (type) {
    case 'RulePublished':
    case 'RuleRestored':
      return toAuthoredRule(pickRuleContent(data))
    case 'RecipePublished':
    case 'RecipeRestored':
      return pickRecipeContent(data)
    case 'FlowPublished':
    case 'FlowRestored':
      return pickFlowContent(data)
    case 'ManagedRulePublished':
    case 'ManagedRuleRestored':
      return toAuthoredRule(pickManagedRuleContent(data))
    case 'ManagedRecipePublished':
    case 'ManagedRecipeRestored':
      return pickManagedRecipeContent(data)
  }
}
