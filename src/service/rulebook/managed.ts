/** The operator's managed rules and recipes, and what customers are told of them. */

import { managedAccount } from '../../domain/managedAccount.ts'
import type { Principal } from '../../domain/principal.ts'
import type { ManagedEvent, ManagedRulebook } from '../../events/rulebook/managedRulebook.ts'
import type { ShelfReader } from '../../queries/reading/shelf.ts'
import { managedForCustomers } from '../../queries/rulebook/managed.ts'
import { findManagedUsers } from '../../queries/rulebook/managedUses.ts'
import type { Call, ManagedShelf, Page, PageRequest, Seen, Service } from '../../service.ts'
import { type House, managedStream } from '../opening/house.ts'
import { type ManagedKind, managedRecipeKind, managedRuleKind } from './managedKinds.ts'
import { assertAuthoring } from './rulebooks.ts'
import { openShelfWriter, type WritingKeeper } from './shelfWriter.ts'
import { openShelfQuestions, reached } from './shelves.ts'

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

/** The operator, with the rulebook of an account that is nobody else's; see `operatorAccess` for who that is. */
function operatorOf({ managed }: House): WritingKeeper<ManagedRulebook, ManagedEvent, Principal> {
  return { streams: managed, accountOf: async () => managedAccount }
}

function openManagedShelf<Input, View extends { readonly version_id: string }>(
  house: House,
  kind: ManagedKind<Input, View>,
): ManagedShelf<Input, View> {
  const keeper = operatorOf(house)
  const retire = async (id: string) => kind.retire(id, await usersOf(house, kind, id))
  return {
    ...openShelfWriter(house, { ...kind, retire }, keeper),
    ...openShelfQuestions(house, kind, keeper),
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
