/** Which list is meant, and whether the caller may have to do with it. */

import type { Call } from '../../domain/call.ts'
import { mustExist } from '../../domain/failure.ts'
import { isPhoneList, type ListAddress } from '../../domain/lists.ts'
import { rulebookStream, type ServiceContext } from '../opening/serviceContext.ts'
import { assertAuthoring } from '../rulebook/rulebooks.ts'
import { assertManagement } from './assertManagement.ts'

/**
 * The list of the caller's account. Throws `access_not_enabled` on an account that may not manage its verification settings, for phone
 * lists, or not author, for all others, and `not_found`.
 */
export async function listAddress(
  context: ServiceContext,
  call: Call,
  list: string,
): Promise<ListAddress> {
  if (isPhoneList(list)) {
    await assertManagement(context, call)
    return { list, kind: 'phone_number' }
  }
  await assertAuthoring(context, call)
  const stream = rulebookStream(call.principal.accountId)
  const held = await context.rulebooks.folded(stream)
  // another instance may have made it a moment ago
  const found = held.state.lists.get(list) ?? (await lastKnown(context, stream, list))
  return { list, kind: mustExist(found).kind }
}

async function lastKnown({ rulebooks }: ServiceContext, stream: string, list: string) {
  const { state } = await rulebooks.catchUp(stream)
  return state.lists.get(list)
}
