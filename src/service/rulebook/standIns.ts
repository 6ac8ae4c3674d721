/** What stands in for a list, rule or recipe that could not be made, while the rest of a request is checked. */

import type { NamedList } from '../../events/rulebook/namedLists.ts'
import type { RulebookEvent } from '../../events/rulebook/rulebook.ts'
import { compileRule } from './compileRule.ts'

const text = 'true'
const expression = compileRule(text)

/** A rule that says nothing. */
export function standInRule(rule_id: string, version_id: string): RulebookEvent {
  return { type: 'RulePublished', data: { rule_id, version_id, name: '', text, expression } }
}

/** A recipe of no rules. */
export function standInRecipe(recipe_id: string, version_id: string): RulebookEvent {
  const content = { name: '', threshold: 0, rules: [] }
  return {
    type: 'RecipePublished',
    data: { recipe_id, version_id, status: 'DRAFT', ...content },
  }
}

/** A list that there is no room for, or whose name another has: the rules that ask it are read as if it were there. */
export function standInList(list_id: string, list: NamedList): RulebookEvent {
  return { type: 'ListCreated', data: { list_id, ...list } }
}
