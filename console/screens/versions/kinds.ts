/** Declares of what there are versions, and the drafts by which restoring one is tried. */

import type {
  BacktestRequest,
  Flow,
  FlowVersion,
  Recipe,
  RecipeVersion,
  RuleVersion,
} from '../../api/schema.ts'
import type { Kind } from '../../parts/describeContent.ts'

export type Version = RuleVersion | RecipeVersion | FlowVersion

export const isKind = (text: string): text is Kind => ['rules', 'recipes', 'flows'].includes(text)

interface Restored {
  readonly id: string
  readonly version: Version
  readonly flows: readonly Flow[]
  readonly recipes: readonly Recipe[]
}

interface Trial {
  readonly flow: Flow
  readonly body: BacktestRequest
}

/** A draft for each flow in which restoring the version could turn a verdict. */
export function trialsOf({ id, version, flows, recipes }: Restored): readonly Trial[] {
  const trial = (flow: Flow, drafted: DraftRecipes): Trial => ({
    flow,
    body: { flow_id: flow.id, draft: { recipes: drafted } },
  })
  if (!('expression' in version || 'threshold' in version)) {
    return flows.filter((flow) => flow.id === id).map((flow) => trial(flow, version.recipes))
  }
  const changed = new Map(
    'threshold' in version
      ? [[id, restoreRecipe(version)]]
      : recipes.flatMap((recipe) => pinRule(recipe, id, version.version_id)),
  )
  return flows
    .filter((flow) => flow.recipes.some((one) => changed.has(one)))
    .map((flow) =>
      trial(
        flow,
        flow.recipes.map((one) => changed.get(one) ?? one),
      ),
    )
}

type DraftRecipes = NonNullable<BacktestRequest['draft']>['recipes']

function restoreRecipe({ name, threshold, rules, base_recipe_id, parameters }: RecipeVersion) {
  return {
    ...{ name, threshold, rules, status: 'LIVE' as const },
    ...(base_recipe_id !== undefined && { base_recipe_id }),
    ...(parameters && { parameters }),
  }
}

/** A live recipe with the version of the rule, as if that were the current one; a pin of its own stays. */
function pinRule(recipe: Recipe, rule_id: string, version_id: string) {
  const { id, version_id: _, status, ...content } = recipe
  if (status !== 'LIVE' || !content.rules.some((member) => member.rule_id === rule_id)) return []
  const rules = content.rules.map((member) =>
    member.rule_id === rule_id ? { version_id, ...member } : member,
  )
  return [[id, { ...content, status, rules }] as const]
}
