/** Whose an identifier is. */

import type { Identifier } from '../../domain/identifiers.ts'
import { standingUser, userStream } from '../../events/sessions/user.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { claimOf, identifierDigest } from './claimIdentifiers.ts'
import type { AppPlace } from './sessionsPart.ts'

/** The id of the user of the application who has it, in canonical form; undefined for one that is only claimed for somebody. */
export async function ownerOf(
  context: ServiceContext,
  { account, appId }: AppPlace,
  identifier: Identifier,
): Promise<string | undefined> {
  const digest = identifierDigest(context, appId, identifier)
  const claim = await claimOf(context, digest)
  if (!claim) return undefined
  const { state } = await context.users.catchUp(userStream(claim.user))
  const user = standingUser(state)
  const isOwn = user?.app === appId && user.account === account
  return isOwn && user.identifier_digests.includes(digest) ? claim.user : undefined
}
