/** Makes, describes and deletes the lists that rules may name. */

import { Failure, type FailureDetail, invalidRequest, mustExist } from '../../domain/failure.ts'
import type { NamedList } from '../../events/rulebook/namedLists.ts'
import { listNamed } from '../../events/rulebook/namedLists.ts'
import type { RulebookEvent, RulebookState } from '../../events/rulebook/rulebook.ts'
import { usersOfList } from './listUses.ts'

/** Lists that an account may have: every instance holds them all in memory, apart from what stands on them. */
const listsMax = 100

type Decide = (state: RulebookState) => readonly RulebookEvent[]

/** The decision. Throws `conflict` for a name that is taken, and when there is room for no more. */
export function createList(id: string, list: NamedList): Decide {
  return ({ lists }) => {
    if (listNamed(lists, list.name)) {
      throw new Failure('conflict', `There is a list called ${list.name} already.`)
    }
    if (lists.size >= listsMax) {
      throw new Failure('conflict', `An account has room for ${listsMax} lists.`)
    }
    return [{ type: 'ListCreated', data: { list_id: id, ...list } }]
  }
}

/** The decision: what it says of itself; the same again is no change. Throws `not_found`. */
export function changeList(id: string, { description }: Pick<NamedList, 'description'>): Decide {
  return ({ lists }) => {
    if (mustExist(lists.get(id)).description === description) return []
    const data = { list_id: id, ...(description !== undefined && { description }) }
    return [{ type: 'ListChanged', data }]
  }
}

/**
 * The decision: the whole list as it is to be, of which only what it says of itself can differ. Throws `not_found`, and
 * `invalid_request` for another name or kind.
 */
export function restateList(id: string, list: NamedList): Decide {
  return (state) => {
    const problems = unchangeable(mustExist(state.lists.get(id)), list)
    if (problems.length > 0) throw invalidRequest(problems)
    return changeList(id, list)(state)
  }
}

function unchangeable(present: NamedList, wanted: NamedList): readonly FailureDetail[] {
  const instead =
    'keep it, or make a list of another name, have the rules ask that one, and delete this one.'
  return (['name', 'kind'] as const)
    .filter((field) => present[field] !== wanted[field])
    .map((field) => ({
      path: field,
      message: `The ${field} of a list stays, here ${present[field]}: ${instead}`,
    }))
}

/** The decision: a list that a rule asks stays (`list_in_use`). Throws `not_found`. */
export function deleteList(id: string): Decide {
  return (state) => {
    const { name } = mustExist(state.lists.get(id))
    const users = usersOfList(state, name)
    if (users.length > 0) {
      throw new Failure(
        'list_in_use',
        'The list is still asked by rules and cannot be deleted; details names them.',
        { details: users.map((message) => ({ path: 'id', message })) },
      )
    }
    return [{ type: 'ListDeleted', data: { list_id: id } }]
  }
}
