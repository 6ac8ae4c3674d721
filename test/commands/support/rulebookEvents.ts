/** Events that publish rules, recipes and flows, with the usual content where none is given. */

import type { Expression } from '../../../src/engine/language/expression.ts'
import type { Membership, RulebookEvent } from '../../../src/events/rulebook/rulebook.ts'

type DataOf<Type> = Extract<RulebookEvent, { type: Type }>['data']
type Content<Type> = Partial<DataOf<Type>>

const version_id = 'ver_1'
const name = 'n'

/** A rule that always triggers. */
export const always: Expression = { kind: 'literal', type: 'bool', value: true, at: [1, 1] }

export const ruleEvent = (rule_id: string, content: Content<'RulePublished'> = {}) =>
  ({
    type: 'RulePublished',
    data: { rule_id, version_id, name, text: 'true', expression: always, ...content },
  }) satisfies RulebookEvent

/** Of rules of weight 1 where only their ids are given. */
export const recipeEvent = (
  recipe_id: string,
  rules: readonly (string | Membership)[],
  content: Content<'RecipePublished'> = {},
) =>
  ({
    type: 'RecipePublished',
    data: {
      ...{ recipe_id, version_id, name, status: 'LIVE', threshold: 50 },
      rules: rules.map((one) => (typeof one === 'string' ? { rule_id: one, weight: 1 } : one)),
      ...content,
    },
  }) satisfies RulebookEvent

export const flowEvent = (
  flow_id: string,
  recipes: readonly string[],
  content: Content<'FlowPublished'> = {},
) =>
  ({
    type: 'FlowPublished',
    data: { flow_id, version_id, name, recipes, ...content },
  }) satisfies RulebookEvent
