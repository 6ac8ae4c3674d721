/** Routes the usage of a rule: the recipes and flows that name it, and its recent outcomes. */

import { membershipFields, recipeFields } from '../../commands/rulebook/recipes.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { count, type Schema } from '../../domain/schema.ts'
import { findUsageOfRule, type RuleUsageView } from '../../queries/analysis/usage.ts'
import { seen } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { type Fields, viewSchema } from '../request/schema/fields.ts'

type Recipe = RuleUsageView['recipes'][number]
type Flow = RuleUsageView['flows'][number]
type Outcomes = RuleUsageView['evaluations']
type Day = Outcomes['days'][number]

const { rule_id: _, ...place } = membershipFields

const outcomes = {
  count: { ...count, description: 'Evaluations that the rule took part in.' },
  triggered: count,
  not_triggered: count,
  missing_data: { ...count, description: 'Not evaluated, since something did not arrive.' },
  unavailable: { ...count, description: "Not evaluated, for a reason on the service's side." },
  skipped: count,
} satisfies Fields<Omit<Day, 'day'>>

const usingRecipe: Schema = viewSchema<Recipe>('UsingRecipe', {
  id: { type: 'string' },
  name: recipeFields.name,
  status: recipeFields.status,
  ...place,
})

const usingFlow: Schema = viewSchema<Flow>('UsingFlow', {
  id: { type: 'string' },
  name: { type: 'string' },
})

const day: Schema = { type: 'string', description: 'A UTC day, as in 2026-08-31.' }

const ruleOutcomes: Schema = viewSchema<Outcomes>('RuleOutcomes', {
  from: day,
  to: day,
  ...outcomes,
  days: { type: 'array', items: viewSchema<Day>('RuleOutcomesOfDay', { day, ...outcomes }) },
  truncated: {
    type: 'boolean',
    description: 'True when the rule stands in more flows than are looked at.',
  },
})

const ruleUsageSchema: Schema = viewSchema<RuleUsageView>('RuleUsage', {
  rule_id: { type: 'string' },
  recipe_count: count,
  recipes: { type: 'array', maxItems: 1_000, items: usingRecipe },
  flow_count: count,
  flows: { type: 'array', maxItems: 1_000, items: usingFlow },
  evaluations: {
    ...ruleOutcomes,
    description:
      'The evaluations of the last seven UTC days that the rule took part in, and how often it came to each outcome in them, once for each recipe that ran it.',
  },
})

/** `GET /v2/watch/management/rules/{id}/usage`. */
export function usageRoutes({ authenticate, context }: Served): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v2/watch/management/rules/{id}/usage',
      operationId: 'getRuleUsage',
      summary: 'Who names a rule, and its outcomes of the last seven days',
      tag: 'Authoring',
      kind: 'read',
      access: accountAccess(authenticate, 'author'),
      ids: { id: idPrefixes.rule },
      query: askingQuery,
      answers: { 200: { description: 'The usage.', schema: ruleUsageSchema } },
      failures: ['invalid_request', 'access_not_enabled'],
      serve: async ({ call, ids, query }) =>
        seen(await findUsageOfRule(context, call, { ruleId: ids.id, ...query })),
    }),
  ]
}
