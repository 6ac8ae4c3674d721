/** Answers which recipes and flows use a rule, and its outcomes in the last days. */

import { type AccountStreams, assertAuthoring } from '../../commands/accounts/assertAccess.ts'
import { membershipFields, recipeFields } from '../../commands/rulebook/recipes.ts'
import type { RulebookStreams } from '../../commands/rulebook/rulebookStreams.ts'
import type { Asking, Call, Seen } from '../../domain/call.ts'
import { mustExist } from '../../domain/failure.ts'
import { count, openObject, type TypeOf, text } from '../../domain/schema.ts'
import { type RulebookState, rulebookStream } from '../../events/rulebook/rulebook.ts'
import { dayOf } from '../../projections/analysis/ruleUsage.ts'
import type { QueryContext } from '../reading/context.ts'
import { reached } from '../reading/reached.ts'
import { day, findRuleUsage, type OutcomeCounts, outcomeFields, usageFields } from './ruleUsage.ts'

const { rule_id: _, ...place } = membershipFields

export const ruleUsageSchema = openObject('RuleUsage', {
  rule_id: text,
  recipe_count: count,
  recipes: {
    type: 'array',
    maxItems: 1_000,
    items: openObject('UsingRecipe', {
      id: text,
      name: recipeFields.name,
      status: recipeFields.status,
      ...place,
    }),
  },
  flow_count: count,
  flows: {
    type: 'array',
    maxItems: 1_000,
    items: openObject('UsingFlow', { id: text, name: text }),
  },
  evaluations: {
    ...openObject('RuleOutcomes', { from: day, to: day, ...outcomeFields, ...usageFields }),
    description:
      'The evaluations of the last seven UTC days that the rule took part in, and how often it came to each outcome in them, once for each recipe that ran it.',
  },
})
export type RuleUsageView = TypeOf<typeof ruleUsageSchema>

const daysCounted = 7
const dayMs = 24 * 60 * 60 * 1_000

/** Recipes, and flows, that are listed; more are only counted. */
const listedMax = 1_000

/** Throws `access_not_enabled`, `not_found`, `unavailable` when `minPosition` is not reached in time. */
export async function findUsageOfRule(
  context: AccountStreams &
    Pick<RulebookStreams, 'rulebooks'> &
    Pick<QueryContext, 'heavyReads' | 'projections' | 'clock'>,
  call: Call,
  { ruleId, minPosition }: Asking & { readonly ruleId: string },
): Promise<Seen<RuleUsageView>> {
  await assertAuthoring(context, call)
  const position = await reached(context, minPosition)
  const account = call.principal.accountId
  const { state } = await context.rulebooks.catchUp(rulebookStream(account))
  mustExist(state.rules.get(ruleId)?.current)
  const now = context.clock.nowMs()
  const days = { from: dayOf(now - (daysCounted - 1) * dayMs), to: dayOf(now) }
  const usage = await context.heavyReads.ask(call.principal, findRuleUsage, {
    account,
    ruleId,
    ...days,
  })
  const evaluations = { ...days, ...sumOf(usage.days), ...usage }
  return { value: { rule_id: ruleId, ...referrersOf(state, ruleId), evaluations }, position }
}

function referrersOf(
  { rules, recipes, flows }: RulebookState,
  ruleId: string,
): Omit<RuleUsageView, 'rule_id' | 'evaluations'> {
  const recipeIds = asMade(recipes, new Set(rules.get(ruleId)?.referrers))
  const referrers = recipeIds.flatMap((id) => recipes.get(id)?.referrers ?? [])
  const flowIds = asMade(flows, new Set(referrers))
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
function asMade(
  entries: Pick<RulebookState['recipes'], 'keys'>,
  ids: ReadonlySet<string>,
): readonly string[] {
  return ids.size === 0 ? [] : [...entries.keys()].filter((id) => ids.has(id))
}

function sumOf(days: readonly OutcomeCounts[]): OutcomeCounts {
  const sum = (part: (counts: OutcomeCounts) => number) =>
    days.reduce((total, counts) => total + part(counts), 0)
  return {
    count: sum(({ count }) => count),
    triggered: sum(({ triggered }) => triggered),
    not_triggered: sum(({ not_triggered }) => not_triggered),
    missing_data: sum(({ missing_data }) => missing_data),
    unavailable: sum(({ unavailable }) => unavailable),
    skipped: sum(({ skipped }) => skipped),
  }
}
