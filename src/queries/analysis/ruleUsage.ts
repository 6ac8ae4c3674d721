/** Finds the recipes and flows that use a rule. */

import type { Call } from '../../domain/call.ts'
import { requireExisting } from '../../domain/failure.ts'
import { countSchema, openObject, type TypeOf, text } from '../../domain/jsonSchema.ts'
import { type RulebookState, rulebookStream } from '../../events/rulebook/rulebook.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'
import { membershipFields, recipeFields } from '../../state/rulebook/recipes.ts'
import type { RulebookStreams } from '../../state/rulebook/rulebookStreams.ts'

const { rule_id: _, ...memberFields } = membershipFields

export const ruleUsageSchema = openObject('RuleUsage', {
  rule_id: text,
  recipe_count: countSchema,
  recipes: {
    type: 'array',
    maxItems: 1_000,
    items: openObject('UsingRecipe', {
      id: text,
      name: recipeFields.name,
      status: recipeFields.status,
      ...memberFields,
    }),
  },
  flow_count: countSchema,
  flows: {
    type: 'array',
    maxItems: 1_000,
    items: openObject('UsingFlow', { id: text, name: text }),
  },
})
export type RuleUsageView = TypeOf<typeof ruleUsageSchema>

/** Recipes, and flows, that are listed; more are only counted. */
const listedMax = 1_000

/** Throws `access_not_enabled`, `not_found`. */
export async function findUsageOfRule(
  context: AccountStreams & Pick<RulebookStreams, 'rulebooks'>,
  call: Call,
  { ruleId }: { readonly ruleId: string },
): Promise<RuleUsageView> {
  await requireAuthoring(context, call)
  const { state } = await context.rulebooks.catchUp(rulebookStream(call.principal.accountId))
  requireExisting(state.rules.get(ruleId)?.current)
  return { rule_id: ruleId, ...listReferrers(state, ruleId) }
}

function listReferrers(
  { rules, recipes, flows }: RulebookState,
  ruleId: string,
): Omit<RuleUsageView, 'rule_id'> {
  const recipeIds = sortByCreation(recipes, rules.get(ruleId)?.referrers ?? new Map())
  const referrers = recipeIds.flatMap((id) => [...(recipes.get(id)?.referrers.keys() ?? [])])
  const flowIds = sortByCreation(flows, new Set(referrers))
  return {
    recipe_count: recipeIds.length,
    recipes: recipeIds.slice(0, listedMax).flatMap((id) => {
      const entry = recipes.get(id)
      const member = entry?.current?.rules.find(({ rule_id }) => rule_id === ruleId)
      if (!entry?.current || !member) return []
      const { rule_id: _, ...membership } = member
      return [{ id, name: entry.current.name, status: entry.status, ...membership }]
    }),
    flow_count: flowIds.length,
    flows: flowIds
      .slice(0, listedMax)
      .map((id) => ({ id, name: flows.get(id)?.current?.name ?? '' })),
  }
}

/** These of the ids, in the order in which what has them was made. */
function sortByCreation(
  entries: Pick<RulebookState['recipes'], 'keys'>,
  ids: Pick<ReadonlySet<string>, 'has' | 'size'>,
): readonly string[] {
  return ids.size === 0 ? [] : [...entries.keys()].filter((id) => ids.has(id))
}
