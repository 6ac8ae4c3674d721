/** The operator's managed rules and recipes, and what customers are told of them. */

import { notFound } from '../commands/rulebookLimits.ts'
import { derivedId, isId } from '../domain/ids.ts'
import { managedAccount } from '../domain/managedAccount.ts'
import type { Principal } from '../domain/principal.ts'
import type { ManagedEvent, ManagedRulebook } from '../events/managedRulebook.ts'
import { managedForCustomers } from '../queries/managed.ts'
import { findManagedUsers } from '../queries/managedUses.ts'
import type { ShelfReader } from '../queries/shelf.ts'
import type { Call, ManagedShelf, Page, PageRequest, Seen, Service, Written } from '../service.ts'
import { carryOut, contextOf, type House, managedStream, whenVisible } from './house.ts'
import { type ManagedKind, managedRecipeKind, managedRuleKind } from './managedKinds.ts'
import { assertAuthoring } from './rulebooks.ts'
import { reached } from './shelves.ts'

/** Users that a refusal to delete names. */
const usersMax = 100

/** The managed part of the service. */
export function openManaged(house: House): Service['managed'] {
  return {
    rules: openManagedShelf(house, managedRuleKind),
    recipes: openManagedShelf(house, managedRecipeKind),
    offeredRules: offeredOf(house, managedForCustomers.rules),
    offeredRecipes: offeredOf(house, managedForCustomers.recipes),
  }
}

/** A change of one thing. */
interface Change {
  readonly operation: string
  readonly input: unknown
  /** Of the thing; undefined for a new one. */
  readonly id?: string
  readonly decide: (ids: {
    readonly id: string
    readonly versionId: string
  }) => (state: ManagedRulebook) => readonly ManagedEvent[]
}

function openManagedShelf<Input, View extends object>(
  house: House,
  kind: ManagedKind<Input, View>,
): ManagedShelf<Input, View> {
  const change = async (call: Call<Principal>, { operation, input, decide, ...known }: Change) => {
    const account = managedAccount
    const context = contextOf(house, call, { account, operation, input })
    const id = known.id ?? derivedId(kind.prefix, context.command, kind.name)
    const versionId = derivedId('ver', context.command, kind.name)
    const { state, position } = await carryOut(house, house.managed, {
      stream: managedStream,
      context,
      decide: decide({ id, versionId }),
    })
    const view = kind.view(state, id)
    const { visible } = await whenVisible(house, { position })
    return { view, position, visible }
  }

  const changed = async (call: Call<Principal>, asked: Change): Promise<Written<View>> => {
    const { view, ...written } = await change(call, asked)
    if (view === undefined) throw notFound()
    return { ...written, value: view }
  }

  return {
    ...managedQuestions(house, kind),
    create: (call, input) =>
      changed(call, {
        operation: `${kind.name}.create`,
        input,
        decide: (ids) => kind.publish({ ...ids, mode: 'create' }, input),
      }),
    replace: async (call, id, input) => {
      if (!isId(kind.prefix, id)) throw notFound()
      return changed(call, {
        operation: `${kind.name}.replace ${id}`,
        input,
        id,
        decide: (ids) => kind.publish({ ...ids, mode: 'replace' }, input),
      })
    },
    remove: async (call, id) => {
      if (!isId(kind.prefix, id)) throw notFound()
      const users = await usersOf(house, kind, id)
      const decide = () => kind.retire(id, users)
      const operation = `${kind.name}.remove ${id}`
      const { position, visible } = await change(call, { operation, input: null, id, decide })
      return { value: undefined, position, visible }
    },
  }
}

function managedQuestions<Input, View>(
  house: House,
  { shelf, prefix }: ManagedKind<Input, View>,
): Pick<ManagedShelf<Input, View>, 'list' | 'get'> {
  return {
    list: async (_, { minPosition, ...page }) => {
      const position = await reached(house, minPosition)
      return { value: await shelf.list(house, { account: managedAccount, ...page }), position }
    },
    get: async (_, id, { minPosition }) => {
      if (!isId(prefix, id)) throw notFound()
      const position = await reached(house, minPosition)
      const value = await shelf.find(house, { account: managedAccount, id })
      if (value === undefined) throw notFound()
      return { value, position }
    },
  }
}

/**
 * The recipes of customers that use the thing, as of now: everything written before this question is looked at. One that is saved
 * between the question and the deletion finds its rule unavailable (docs/decisions).
 */
async function usersOf<Input, View>(
  house: House,
  kind: ManagedKind<Input, View>,
  id: string,
): Promise<readonly string[]> {
  const { state } = await house.managed.held(managedStream)
  if (kind.view(state, id) === undefined) return []
  await reached(house, await house.events.head())
  return findManagedUsers(house, id, usersMax)
}

function offeredOf<View extends object>(
  house: House,
  shelf: ShelfReader<View>,
): (call: Call, page: PageRequest) => Promise<Seen<Page<View>>> {
  return async (call, { minPosition, ...page }) => {
    await assertAuthoring(house, call)
    const position = await reached(house, minPosition)
    return { value: await shelf.list(house, { account: managedAccount, ...page }), position }
  }
}
