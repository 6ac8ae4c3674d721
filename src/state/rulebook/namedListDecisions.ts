/** Decides changes of named lists in a rulebook, and checks the lists that rules use. */

import {
  Failure,
  type FailureDetail,
  invalidRequest,
  requireExisting,
} from '../../domain/failure.ts'
import { closedObject, openObject, optional, type TypeOf, text } from '../../domain/jsonSchema.ts'
import { type ListKind, listKinds } from '../../domain/lists/lists.ts'
import { listInListLookups, mayUseLists } from '../../engine/language/askedCalls.ts'
import { parseRule } from '../../engine/language/parse/parseRule.ts'
import { findListByName, type NamedList } from '../../events/rulebook/namedListEvents.ts'
import {
  type Membership,
  parseRuleVersion,
  type RulebookEvent,
  type RulebookState,
  type RuleContent,
} from '../../events/rulebook/rulebook.ts'
import { assertUnused } from './resourceDecisions.ts'

/** Lists that an account may have: every instance has them all in memory, without their entries. */
const listsMax = 100

/** A schema for each field of a list. */
export const listFields = {
  name: {
    type: 'string',
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
    description: 'Name used in rules. Name and kind cannot be changed.',
  },
  kind: { type: 'string', enum: listKinds, description: 'The entries of the list.' },
  description: optional({ type: 'string', minLength: 1, maxLength: 500 }),
} as const
export const listInputSchema = closedObject('ListInput', listFields)

/** A list that an account's authors have made. */
export const listSchema = openObject('List', {
  id: text,
  name: text,
  kind: listFields.kind,
  description: optional(text),
})
export type ListView = TypeOf<typeof listSchema>

export function findListView({ lists }: RulebookState, id: string): ListView | undefined {
  const list = lists.get(id)
  return list && { id, ...list }
}

/** The decision. Throws `conflict` for a name that is taken, and when the account has too many lists. */
export function decideListCreation(
  { lists }: RulebookState,
  id: string,
  list: NamedList,
): readonly RulebookEvent[] {
  if (findListByName(lists, list.name)) {
    throw new Failure('conflict', `There is a list called ${list.name} already.`)
  }
  if (lists.size >= listsMax) {
    throw new Failure('conflict', `An account may have at most ${listsMax} lists.`)
  }
  return [{ type: 'ListCreated', data: { list_id: id, ...list } }]
}

/** The decision: its description only; an unchanged one changes nothing. Throws `not_found`. */
export function decideListDescription(
  { lists }: RulebookState,
  id: string,
  { description }: Pick<NamedList, 'description'>,
): readonly RulebookEvent[] {
  if (requireExisting(lists.get(id)).description === description) return []
  const data = { list_id: id, ...(description !== undefined && { description }) }
  return [{ type: 'ListChanged', data }]
}

/**
 * The decision: the whole list as it is to be, of which only what it says of itself can differ. Throws `not_found`, and
 * `invalid_request` for another name or kind.
 */
export function decideListReplacement(
  state: RulebookState,
  id: string,
  list: NamedList,
): readonly RulebookEvent[] {
  const present = requireExisting(state.lists.get(id))
  const instead =
    'keep it, or make a list of another name, have the rules ask that one, and delete this one.'
  const problems = (['name', 'kind'] as const)
    .filter((field) => present[field] !== list[field])
    .map((field) => ({
      path: field,
      message: `The ${field} of a list stays, here ${present[field]}: ${instead}`,
    }))
  if (problems.length > 0) throw invalidRequest(problems)
  return decideListDescription(state, id, list)
}

/** The decision: a list that a rule asks stays (`list_in_use`). Throws `not_found`. */
export function decideListDeletion(state: RulebookState, id: string): readonly RulebookEvent[] {
  const { name } = requireExisting(state.lists.get(id))
  const message = 'The list is still asked by rules and cannot be deleted; details names them.'
  assertUnused('list_in_use', message, listRulesUsingList(state, name))
  return [{ type: 'ListDeleted', data: { list_id: id } }]
}

/** The kinds of values on the account's lists, by the names that rules write. */
export function indexListKinds({
  lists,
}: Pick<RulebookState, 'lists'>): ReadonlyMap<string, ListKind> {
  return new Map([...lists.values()].map(({ name, kind }) => [name, kind]))
}

/** Rules named in a refusal at most. */
const usersMax = 100

/** The ids of the rules that ask the list: in their current version, or in one that a recipe pins. */
function listRulesUsingList({ rules }: RulebookState, name: string): readonly string[] {
  const users: string[] = []
  for (const id of rules.keys()) {
    const versions = [...(rules.get(id)?.versions.values() ?? [])]
    // an expression is long to read
    const asks = versions.some(
      (version) =>
        mayUseLists(version.text) &&
        mayContainName(version.text, name) &&
        listInListLookups(parseRuleVersion(version).expression).some(({ list }) => list === name),
    )
    if (asks) users.push(id)
    if (users.length === usersMax) break
  }
  return users.sort()
}

/** Whether the text may contain the name, literally or by escapes. */
function mayContainName(text: string, name: string): boolean {
  return text.includes(name) || text.includes('\\')
}

/** Throws `invalid_rule` for an earlier version that asks a list which is deleted, or is of another kind now. */
export function assertListsExist(state: RulebookState, { text }: Pick<RuleContent, 'text'>): void {
  const details = findListProblems(state, text)
  if (details.length === 0) return
  const message = 'The expression asks lists that are not there; see details.'
  throw new Failure('invalid_rule', message, { param: 'expression', details })
}

/** Problems of the lists that the pinned versions of a recipe ask. */
export function findPinnedListProblems(
  state: RulebookState,
  members: readonly Membership[],
): readonly FailureDetail[] {
  return members.flatMap(({ rule_id, version_id }, index) => {
    const versions = state.rules.get(rule_id)?.versions
    const version = version_id === undefined ? undefined : versions?.get(version_id)
    const [problem] = version ? findListProblems(state, version.text) : []
    if (!problem) return []
    const message = `The version cannot be used any more: ${problem.message}`
    return [{ path: `rules.${index}.version_id`, message }]
  })
}

function findListProblems(state: RulebookState, text: string): readonly FailureDetail[] {
  if (!mayUseLists(text)) return []
  const parsed = parseRule(text, { lists: indexListKinds(state) })
  return 'problems' in parsed
    ? parsed.problems.map((problem) => ({ path: 'expression', ...problem }))
    : []
}
