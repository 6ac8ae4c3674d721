/** The event types of the managed family, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { expression } from '../recording/expressionSchema.ts'
import {
  integer,
  integerFrom,
  list,
  number,
  object,
  oneOf,
  text,
  word,
} from '../recording/schema.ts'
import type { ManagedEvent } from './managedRulebook.ts'

const version = integerFrom(1)
const ruleParameter = object({ name: word, type: oneOf(['BOOL', 'INT', 'DOUBLE', 'STRING']) })
const recipeParameter = object(
  {
    name: word,
    type: oneOf(['BOOL', 'INT', 'DOUBLE', 'STRING', 'ENUM']),
    default_value: text,
  },
  { value_min: number, value_max: number, values: list(text) },
)
const membership = object({ rule_id: word, weight: integer }, { preempts: oneOf(['FLAG', 'PASS']) })

const rule = {
  rule_id: word,
  version_id: word,
  name: word,
  description: word,
  text: word,
  expression,
  parameters: list(ruleParameter),
}
const recipe = {
  recipe_id: word,
  version_id: word,
  description: word,
  threshold: integer,
  threshold_bounds: object({ min: integer, max: integer }),
  parameters: list(recipeParameter),
  rules: list(membership),
}

export const managedRulebookEvents: Definitions<ManagedEvent> = {
  ManagedRulePublished: plain(object(rule, { shipped: version })),
  ManagedRuleRestored: plain(object(rule)),
  ManagedRuleRetired: plain(object({ rule_id: word })),
  ManagedRecipePublished: plain(object(recipe, { name: word, shipped: version })),
  ManagedRecipeRestored: plain(object(recipe, { name: word })),
  ManagedRecipeRetired: plain(object({ recipe_id: word })),
  ManagedSetInstalled: plain(object({ version })),
}
