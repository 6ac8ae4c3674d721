/** Which rules ask which lists. */

import { Failure, type FailureDetail } from '../../domain/failure.ts'
import type { ListKind } from '../../domain/lists.ts'
import { lookupsOf, mayAskLists } from '../../engine/language/lookups.ts'
import { parseRule } from '../../engine/language/parseRule.ts'
import {
  type Membership,
  type RulebookState,
  type RuleContent,
  ruleOf,
} from '../../events/rulebook/rulebook.ts'

/** What stands on the lists of the account, by the names that rules write. */
export function listKindsIn({
  lists,
}: Pick<RulebookState, 'lists'>): ReadonlyMap<string, ListKind> {
  return new Map([...lists.values()].map(({ name, kind }) => [name, kind]))
}

/** Rules named in a refusal at most. */
const usersMax = 100

/** The ids of the rules that ask the list: in their current version, or in one that a recipe pins. */
export function usersOfList({ rules }: RulebookState, name: string): readonly string[] {
  const users: string[] = []
  for (const id of rules.keys()) {
    // an expression is long to read
    const asking = [...(rules.get(id)?.versions.values() ?? [])].filter(
      ({ text }) => mayAskLists(text) && mayName(text, name),
    )
    const asks = asking.some((version) =>
      lookupsOf(ruleOf(version).expression).some(({ list }) => list === name),
    )
    if (asks) users.push(id)
    if (users.length === usersMax) break
  }
  return users.sort()
}

/** Whether the text may write the name: where it does not as it stands, it may by escapes. */
function mayName(text: string, name: string): boolean {
  return text.includes(name) || text.includes('\\')
}

/** Throws `invalid_rule` for a rule of an earlier time that asks a list which is not there any more, or is of another kind. */
export function assertLists(state: RulebookState, { text }: Pick<RuleContent, 'text'>): void {
  const details = lackingLists(state, text)
  if (details.length === 0) return
  const message = 'The expression asks lists that are not there; see details.'
  throw new Failure('invalid_rule', message, { param: 'expression', details })
}

/** What is wrong with the lists that the versions ask which a recipe pins. */
export function pinnedListProblems(
  state: RulebookState,
  members: readonly Membership[],
): readonly FailureDetail[] {
  return members.flatMap(({ rule_id, version_id }, index) => {
    const versions = state.rules.get(rule_id)?.versions
    const version = version_id === undefined ? undefined : versions?.get(version_id)
    const [problem] = version ? lackingLists(state, version.text) : []
    if (!problem) return []
    const message = `The version cannot be used any more: ${problem.message}`
    return [{ path: `rules.${index}.version_id`, message }]
  })
}

function lackingLists(state: RulebookState, text: string): readonly FailureDetail[] {
  if (!mayAskLists(text)) return []
  const parsed = parseRule(text, { lists: listKindsIn(state) })
  return 'problems' in parsed
    ? parsed.problems.map((problem) => ({ path: 'expression', ...problem }))
    : []
}
