/** Keeps customers from changing what the operator keeps. */

import { Failure } from '../../domain/failure.ts'
import type { AccountPrincipal } from '../../domain/principal.ts'
import { inForce } from '../../events/rulebook/managedRulebook.ts'
import type { Call } from '../../service.ts'
import { type House, managedRulebook } from '../opening/house.ts'
import { assertAuthoring } from './rulebooks.ts'
import type { ShelfWriter } from './shelfWriter.ts'

const refusals = {
  rules: () =>
    new Failure('managed_rule_read_only', 'A managed rule can be used, and not be changed.'),
  recipes: () =>
    new Failure(
      'managed_recipe_read_only',
      'A managed recipe can be extended, and not be changed.',
    ),
} as const

/** The same writer; to replace, remove or restore something managed is refused with `managed_rule_read_only`, `managed_recipe_read_only`. */
export function guardManaged<Input, View>(
  house: House,
  kind: keyof typeof refusals,
  writer: ShelfWriter<Input, View, AccountPrincipal>,
): ShelfWriter<Input, View, AccountPrincipal> {
  const assertOwn = async (call: Call, id: string): Promise<void> => {
    await assertAuthoring(house, call)
    if (inForce<object>(managedRulebook(house)[kind], id)) throw refusals[kind]()
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
