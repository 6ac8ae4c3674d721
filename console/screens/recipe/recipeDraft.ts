/** Declares what is asked to try a recipe on the past. */

import type { BacktestRequest, Flow, Recipe, RecipeInput } from '../../api/schema.ts'
import { contentOf, describeContent } from '../../parts/describeContent.ts'

/** What stays the same when only weights and the threshold are moved. */
const frameOf = (content: RecipeInput) =>
  describeContent(
    {
      ...{ ...content, name: '', status: 'LIVE', threshold: 0 },
      rules: content.rules.map((member) => ({ ...member, weight: 0 })),
    },
    new Map(),
  )

/** Other weights are computed from recorded outcomes, also where evidence was erased; all else is run anew. */
export function requestOf(flow: Flow, recipe: Recipe, content: RecipeInput): BacktestRequest {
  const { threshold, rules } = content
  if (frameOf(content) === frameOf(contentOf<RecipeInput>(recipe))) {
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
