/** The operator's managed rules and recipes, and what customers are told of them. */

import type { Call, Page, PageRequest, Seen } from '../../domain/call.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import type { Principal } from '../../domain/principal.ts'
import type { ManagedEvent, ManagedRulebook } from '../../events/rulebook/managedRulebook.ts'
import { reached } from '../../queries/reading/reached.ts'
import { findManagedUsers } from '../../queries/rulebook/managedUses.ts'
import { managedStream, type ServiceContext } from '../opening/serviceContext.ts'
import { earlierVersion } from './earlierVersions.ts'
import { type ManagedKind, managedRecipeKind, managedRuleKind } from './managedKinds.ts'
import { openResourceCommands, type Restoring, type WritingOwner } from './resourceCommands.ts'
import { openResourceQueries, type ResourceQuestions } from './resourceQueries.ts'
import type { ManagedResource, RulebookPart } from './rulebookPart.ts'
import { assertAuthoring } from './rulebooks.ts'

/** Users that a refusal to delete names. */
const usersMax = 100

/** The managed part of the service. */
export function openManaged(context: ServiceContext): RulebookPart['managed'] {
  const { ask } = context.heavyReads
  return {
    rules: openManagedResource(context, managedRuleKind, (caller, asked) =>
      ask(caller, 'listManagedRules', asked),
    ),
    recipes: openManagedResource(context, managedRecipeKind, (caller, asked) =>
      ask(caller, 'listManagedRecipes', asked),
    ),
    offeredRules: offeredOf(context, (caller, asked) => ask(caller, 'listOfferedRules', asked)),
    offeredRecipes: offeredOf(context, (caller, asked) => ask(caller, 'listOfferedRecipes', asked)),
  }
}

/** The operator, with the rulebook of an account that is nobody else's; see `operatorAccess` for who that is. */
function operatorOf({
  managed,
}: ServiceContext): WritingOwner<ManagedRulebook, ManagedEvent, Principal> {
  return { streams: managed, accountOf: async () => managedAccount }
}

function openManagedResource<Input, View extends { readonly version_id: string }>(
  context: ServiceContext,
  kind: ManagedKind<Input, View>,
  list: ResourceQuestions<View>['list'],
): ManagedResource<Input, View> {
  const owner = operatorOf(context)
  const retire = async (id: string) => kind.retire(id, await usersOf(context, kind, id))
  const restore = async ({ account, id, versionId }: Restoring) =>
    kind.restore(id, versionId, await earlierVersion(context, account, { of: id, versionId }))
  return {
    ...openResourceCommands(context, { ...kind, retire, restore }, owner),
    ...openResourceQueries(context, { ...kind.resource, list }, owner),
  }
}

/**
 * The recipes of customers that use the rule or recipe, as of now: everything written before this question is looked at. One that is saved
 * between the question and the deletion finds its rule unavailable (docs/decisions).
 */
async function usersOf<Input, View>(
  context: ServiceContext,
  kind: ManagedKind<Input, View>,
  id: string,
): Promise<readonly string[]> {
  const { state } = await context.managed.catchUp(managedStream)
  if (kind.view(state, id) === undefined) return []
  await reached(context, await context.events.head())
  return findManagedUsers(context, id, usersMax)
}

function offeredOf<View extends object>(
  context: ServiceContext,
  list: ResourceQuestions<View>['list'],
): (call: Call, page: PageRequest) => Promise<Seen<Page<View>>> {
  return async (call, { minPosition, ...page }) => {
    await assertAuthoring(context, call)
    const position = await reached(context, minPosition)
    const value = await list(call.principal, { account: managedAccount, ...page })
    return { value, position }
  }
}
