/** What a rule is used for. */

import { answeredObject, type Schema } from '../request/schema.ts'
import { membershipFields, recipeFields } from '../rulebook/authoringSchemas.ts'

const count: Schema = { type: 'integer', minimum: 0 }

const outcomes = {
  count: { ...count, description: 'Evaluations that the rule took part in.' },
  triggered: count,
  not_triggered: count,
  missing_data: { ...count, description: 'Not evaluated, since something did not arrive.' },
  unavailable: { ...count, description: "Not evaluated, for a reason on the service's side." },
  skipped: count,
}

const { rule_id: _, ...place } = membershipFields

const usingRecipe: Schema = answeredObject(
  'UsingRecipe',
  { id: { type: 'string' }, name: recipeFields.name, status: recipeFields.status, ...place },
  ['id', 'name', 'status', 'weight'],
)

const day: Schema = { type: 'string', description: 'A UTC day, as in 2026-08-31.' }

export const ruleUsageSchema: Schema = answeredObject('RuleUsage', {
  rule_id: { type: 'string' },
  recipe_count: count,
  recipes: { type: 'array', maxItems: 1_000, items: usingRecipe },
  flow_count: count,
  flows: {
    type: 'array',
    maxItems: 1_000,
    items: answeredObject('UsingFlow', { id: { type: 'string' }, name: { type: 'string' } }),
  },
  evaluations: {
    ...answeredObject('RuleOutcomes', {
      from: day,
      to: day,
      ...outcomes,
      days: { type: 'array', items: answeredObject('RuleOutcomesOfDay', { day, ...outcomes }) },
      truncated: {
        type: 'boolean',
        description: 'True when the rule stands in more flows than are looked at.',
      },
    }),
    description:
      'The evaluations of the last seven UTC days that the rule took part in, and how often it came to each outcome in them, once for each recipe that ran it.',
  },
})
