/** Writes rules, recipes and flows as lines, to show what one has that another has not. */

import type { FlowInput, RecipeInput, RuleInput } from '../api/schema.ts'

export type Content = RuleInput | RecipeInput | FlowInput
export type Kind = 'rules' | 'recipes' | 'flows'
type Names = ReadonlyMap<string, string>

export const nouns = { rules: 'rule', recipes: 'recipe', flows: 'flow' } as const

/** What the names in a content name. */
export const namedBy = { rules: 'rules', recipes: 'rules', flows: 'recipes' } as const

/** The service gives it with its ids and takes it without. */
export function contentOf<Input extends object>(
  resource: Input & { readonly id: string; readonly version_id: string },
): Input {
  const { id: _, version_id: _version, ...content } = resource
  return content as unknown as Input
}

/** `names`: of the rules of a recipe and the recipes of a flow, by their ids. */
export function describeContent(content: Content, names: Names): string {
  if ('expression' in content) return `${content.name}\n${content.expression}`
  if ('threshold' in content) return describeRecipe(content, names)
  return [content.name, ...content.recipes.map((id) => names.get(id) ?? id)].join('\n')
}

function describeRecipe({ name, status, threshold, rules, ...others }: RecipeInput, names: Names) {
  const { base_recipe_id, parameters } = others
  const memberOf = ({ rule_id, weight, preempts, version_id }: RecipeInput['rules'][number]) =>
    [
      `${weight}  ${names.get(rule_id) ?? rule_id}`,
      ...(preempts === undefined ? [] : [preempts === 'FLAG' ? 'flags at once' : 'passes at once']),
      ...(version_id === undefined ? [] : [`pinned to ${version_id}`]),
    ].join(', ')
  return [
    name,
    // versions from before a change of the status have none
    ...(status ? [`status ${status.toLowerCase()}`] : []),
    `flags from ${threshold}`,
    ...(base_recipe_id === undefined ? [] : [`extends ${base_recipe_id}`]),
    ...Object.entries(parameters ?? {}).map(([key, value]) => `${key} = ${value}`),
    ...rules.map(memberOf),
  ].join('\n')
}
