/** Keeps customers from changing what the operator keeps. */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { AccountPrincipal } from '../../domain/principal.ts'
import { inForce } from '../../events/rulebook/managedRulebook.ts'
import { managedRulebook, type ServiceContext } from '../opening/serviceContext.ts'
import type { ResourceCommands } from './resourceCommands.ts'
import { assertAuthoring } from './rulebooks.ts'

const refusals = {
  rules: () =>
    new Failure('managed_rule_read_only', 'A managed rule can be used, and not be changed.'),
  recipes: () =>
    new Failure(
      'managed_recipe_read_only',
      'A managed recipe can be extended, and not be changed.',
    ),
} as const

/** Throws `managed_rule_read_only` or `managed_recipe_read_only` for the id of something managed. */
export function refuseManaged(
  context: ServiceContext,
  kind: keyof typeof refusals,
  id: string,
): void {
  if (inForce<object>(managedRulebook(context)[kind], id)) throw refusals[kind]()
}

/** The same writer; to replace, remove or restore something managed is refused with `managed_rule_read_only`, `managed_recipe_read_only`. */
export function guardManaged<Input, View>(
  context: ServiceContext,
  kind: keyof typeof refusals,
  writer: ResourceCommands<Input, View, AccountPrincipal>,
): ResourceCommands<Input, View, AccountPrincipal> {
  const assertOwn = async (call: Call, id: string): Promise<void> => {
    await assertAuthoring(context, call)
    refuseManaged(context, kind, id)
  }
  return {
    ...writer,
    replace: async (call, id, input) => {
      await assertOwn(call, id)
      return writer.replace(call, id, input)
    },
    remove: async (call, id) => {
      await assertOwn(call, id)
      return writer.remove(call, id)
    },
    restore: async (call, id, versionId) => {
      await assertOwn(call, id)
      return writer.restore(call, id, versionId)
    },
  }
}
