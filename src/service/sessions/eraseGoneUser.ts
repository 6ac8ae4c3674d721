/** What was sealed of a user at the very moment of their deletion goes with them. */

import type { Call } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import { userSubject } from '../../events/sessions/user.ts'
import { eraseSubject } from '../opening/eraseSubject.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

interface GoneUser {
  readonly account: string
  readonly userId: string
}

/**
 * Destroys the keys of a user who is deleted. For whoever has sealed something of them and finds them gone afterwards: the deletion may
 * have looked for their keys before. Throws like `eraseSubject`.
 */
export async function eraseGoneUser(
  context: ServiceContext,
  call: Call<Principal>,
  { account, userId }: GoneUser,
): Promise<void> {
  const { kind, value } = userSubject(userId)
  await eraseSubject(context, call, {
    account,
    subject: context.keyring.subject(account, kind, value),
  })
}
