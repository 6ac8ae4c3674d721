/** The ids of everything that one request changes or makes. */

import { createList, deleteList, restateList } from '../../commands/rulebook/namedLists.ts'
import { Failure } from '../../domain/failure.ts'
import { derivedId, derivedIdAt, idPrefixes } from '../../domain/ids.ts'
import type { NamedList } from '../../events/rulebook/namedLists.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { KindName, ResourceChange, RulebookChanges } from './rulebookChanges.ts'
import { kindsOf, type OwnKind } from './rulebooks.ts'

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

/** By place in the request. */
export type ChangedIds = Readonly<Record<KindName, readonly string[]>>

/** The id of what a command makes at a place of its request. Lists are paged by their ids: those of a command are in its order. */
const newIds: Readonly<Record<KindName, (command: string, index: number) => string>> = {
  lists: (command, index) => derivedIdAt(idPrefixes.list, command, index),
  rules: (command, index) => derivedId(idPrefixes.rule, command, `rules.${index}`),
  recipes: (command, index) => derivedId(idPrefixes.recipe, command, `recipes.${index}`),
  flows: (command, index) => derivedId(idPrefixes.flow, command, `flows.${index}`),
}

/** As they are given; those of what is new are the same whenever the command is sent. */
export function changedIds(changes: RulebookChanges, command: string): ChangedIds {
  const idsOf = (name: KindName): readonly string[] => {
    const given: readonly ResourceChange<unknown>[] = changes[name] ?? []
    return given.map(({ id }, index) => id ?? newIds[name](command, index))
  }
  return {
    lists: idsOf('lists'),
    rules: idsOf('rules'),
    recipes: idsOf('recipes'),
    flows: idsOf('flows'),
  }
}

/** The id that a place such as `rules.0` stands for; any other text as it is. */
export function placed(ids: ChangedIds, name: KindName, text: string): string {
  const [kind, index = '', ...rest] = text.split('.')
  if (kind !== name || rest.length > 0 || !/^\d{1,5}$/.test(index)) return text
  return ids[name][Number(index)] ?? text
}

/** What a change has to know of its kind. */
export type ChangedKind<Input, View> = Pick<
  OwnKind<Input, View>,
  'prefix' | 'publish' | 'earlier' | 'retire' | 'view'
>

/** By the names that a request gives them. */
export function changedKindsOf(context: ServiceContext) {
  return { lists: listKind, ...kindsOf(context) }
}
