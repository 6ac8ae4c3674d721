/** The event types of the rulebook family, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { expression } from '../recording/expressionSchema.ts'
import { integer, list, mapOf, object, oneOf, text, word } from '../recording/schema.ts'
import type { RulebookEvent } from './rulebook.ts'

/** By name, not by the list of those there are: what version 1 holds does not grow with it. */
const listKind = oneOf(['phone_number', 'email_address', 'email_domain', 'ip_range', 'text'])
const status = oneOf(['DRAFT', 'SHADOW', 'LIVE', 'INACTIVE'])
const membership = object(
  { rule_id: word, weight: integer },
  { preempts: oneOf(['FLAG', 'PASS']), version_id: word },
)

const rulePublished = object({
  rule_id: word,
  version_id: word,
  name: word,
  text: word,
  expression,
})
const recipePublished = object(
  {
    recipe_id: word,
    version_id: word,
    name: word,
    status,
    threshold: integer,
    rules: list(membership),
  },
  {
    base_recipe_id: word,
    parameters: mapOf(text),
    managed: list(word),
  },
)
const flowPublished = object({
  flow_id: word,
  version_id: word,
  name: word,
  recipes: list(word),
})

export const rulebookEvents: Definitions<RulebookEvent> = {
  RulePublished: plain(rulePublished),
  RuleRestored: plain(rulePublished),
  RuleRetired: plain(object({ rule_id: word })),
  RecipePublished: plain(recipePublished),
  RecipeRestored: plain(recipePublished),
  RecipeStatusSet: plain(object({ recipe_id: word, status })),
  RecipeRetired: plain(object({ recipe_id: word })),
  FlowPublished: plain(flowPublished),
  FlowRestored: plain(flowPublished),
  FlowRetired: plain(object({ flow_id: word })),
  ListCreated: plain(object({ list_id: word, name: word, kind: listKind }, { description: word })),
  ListChanged: plain(object({ list_id: word }, { description: word })),
  ListDeleted: plain(object({ list_id: word })),
}
