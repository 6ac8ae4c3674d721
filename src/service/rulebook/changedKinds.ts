/** All that one request can change. */

import { createList, deleteList, restateList } from '../../commands/rulebook/namedLists.ts'
import { Failure } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { NamedList } from '../../events/rulebook/namedLists.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { kindsOf, type OwnKind } from './rulebooks.ts'

/** What a change has to know of its kind. */
export type ChangedKind<Input, View> = Pick<
  OwnKind<Input, View>,
  'prefix' | 'publish' | 'earlier' | 'retire' | 'view'
>

const pinsEarlier =
  'The request pins earlier versions of rules, which may ask the list; delete it in a request of its own.'

/** Lists, without what stands on them. They have no versions. */
const listKind: ChangedKind<NamedList, NamedList & { readonly id: string }> = {
  prefix: idPrefixes.list,
  publish: ({ id, mode }, list) =>
    mode === 'create' ? createList(id, list) : restateList(id, list),
  retire: (id) => (state) => {
    // what is pinned only now is not in memory yet, and may ask the list
    if (state.lacking.size > 0) throw new Failure('conflict', pinsEarlier)
    return deleteList(id)(state)
  },
  view: ({ lists }, id) => {
    const list = lists.get(id)
    return list && { id, ...list }
  },
}

/** By the names that a request gives them. */
export function changedKindsOf(context: ServiceContext) {
  return { lists: listKind, ...kindsOf(context) }
}
