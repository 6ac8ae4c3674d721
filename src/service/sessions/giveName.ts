/** Gives a user the name that the customer has for them, who was created without it. */

import { nameUser } from '../../commands/sessions/createUser.ts'
import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import type { Principal } from '../../domain/principal.ts'
import { userStream } from '../../events/sessions/user.ts'
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
  const claiming = { userId, appId, eventContext }
  await claimIdentifiers(context, claiming, [digest])
  try {
    await carryOut(context, context.users, {
      stream: userStream(userId),
      context: ownContext(context, eventContext),
      decide: nameUser(userId, { appId, account }, { digest, nowMs: eventContext.time }),
    })
  } catch (error) {
    // refused: of anything else it is not known whether it is on record, and a claim for nothing can be taken over
    const isRefused = error instanceof Failure && ['conflict', 'not_found'].includes(error.code)
    if (isRefused) await releaseIdentifiers(context, claiming, [digest])
    throw error
  }
}
