/** Gives a user the name that the customer has for them, who was created without it. */

import { nameUser } from '../../commands/sessions/createUser.ts'
import type { Call } from '../../domain/call.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import type { Principal } from '../../domain/principal.ts'
import { standingUser, userStream } from '../../events/sessions/user.ts'
import { carryOut, eventContextOf, type ServiceContext } from '../opening/serviceContext.ts'
import { claimIdentifiers, identifierDigest, releaseIdentifiers } from './claimIdentifiers.ts'
import { ownContext } from './ownContext.ts'
import type { UserPlace } from './usersPart.ts'

interface Naming {
  readonly call: Call<Principal>
  readonly place: UserPlace
  /** In canonical form; of the type by which the customer calls users. */
  readonly name: Identifier
}

/**
 * Claims the name and records it; again is no error. Throws `identifier_already_exists` when another user has it, `conflict` when the user
 * was given another one meanwhile or another request is about to take it, `not_found` when the user is gone.
 */
export async function giveName(
  context: ServiceContext,
  { call, place, name }: Naming,
): Promise<void> {
  const { account, appId, userId } = place
  const digest = identifierDigest(context, appId, name)
  const intention = { account, operation: `users.name ${userId}`, input: digest }
  const eventContext = eventContextOf(context, call, intention)
  const claiming = { userId, appId, isName: true, eventContext }
  await claimIdentifiers(context, claiming, [digest])
  try {
    await carryOut(context, context.users, {
      stream: userStream(userId),
      context: ownContext(context, eventContext),
      decide: nameUser(userId, { appId, account }, { digest, nowMs: eventContext.time }),
    })
  } catch (error) {
    if (await isForNothing(context, userId, digest)) {
      await releaseIdentifiers(context, claiming, [digest])
    }
    throw error
  }
}

/** Whether the user will never have the name: they are gone, or have another one. Else another request may be giving it to them. */
async function isForNothing(
  { users }: ServiceContext,
  userId: string,
  digest: string,
): Promise<boolean> {
  const user = standingUser((await users.catchUp(userStream(userId))).state)
  return !user || (user.name_digest !== undefined && user.name_digest !== digest)
}
