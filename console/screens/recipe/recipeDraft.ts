/** Declares what is edited of a recipe, and what is asked to try it on the past. */

import type { BacktestRequest, Flow, Recipe, RecipeInput } from '../../api/schema.ts'

/** A recipe in work; `etag` is that of the version it was opened from. */
export interface Draft {
  readonly content: RecipeInput
  readonly etag?: string | undefined
}

export interface Saved {
  readonly recipe: Recipe
  readonly etag: string | undefined
}

export const blank: Draft = {
  content: { name: '', status: 'DRAFT', threshold: 50, rules: [] },
}

export function contentOf(recipe: Recipe): RecipeInput {
  const { id: _, version_id: _version, ...content } = recipe
  return content
}

export const draftOf = ({ recipe, etag }: Saved): Draft => ({ content: contentOf(recipe), etag })

export const isSame = (one: RecipeInput, other: RecipeInput): boolean =>
  textOf(one) === textOf(other)

const textOf = ({ name, status, threshold, rules, base_recipe_id, parameters }: RecipeInput) =>
  JSON.stringify([name, status, threshold, rules.map(memberOf), base_recipe_id, parameters])

const memberOf = ({ rule_id, weight, preempts, version_id }: RecipeInput['rules'][number]) => [
  rule_id,
  weight,
  preempts,
  version_id,
]

/** What stays the same when only weights and the threshold are moved. */
const frameOf = (content: RecipeInput) =>
  textOf({
    ...content,
    name: '',
    status: 'LIVE',
    threshold: 0,
    rules: content.rules.map((member) => ({ ...member, weight: 0 })),
  })

/** Other weights are computed from recorded outcomes, also where evidence was erased; all else is run anew. */
export function requestOf(flow: Flow, recipe: Recipe, content: RecipeInput): BacktestRequest {
  const { threshold, rules } = content
  if (frameOf(content) === frameOf(contentOf(recipe))) {
    const weights = rules.map(({ rule_id, weight }) => ({ rule_id, weight }))
    const moved = weights.length > 0 && { weights }
    return { flow_id: flow.id, recipe_id: recipe.id, threshold, ...moved }
  }
  const draft = { ...content, status: 'LIVE' as const }
  return {
    flow_id: flow.id,
    draft: { recipes: flow.recipes.map((one) => (one === recipe.id ? draft : one)) },
  }
}
