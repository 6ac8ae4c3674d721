/** Finds users in the log by id, by identifier, or by a session that is active. */

import { Failure, notFound } from '../../../domain/failure.ts'
import type { Identifier } from '../../../domain/identifiers.ts'
import { decode, openEvent } from '../../../events/catalogue.ts'
import { isForgotten } from '../../../events/recording/sealing.ts'
import { isOfEpoch, type SessionState } from '../../../events/sessions/session.ts'
import {
  activeUser,
  type UserEvent,
  type UserState,
  type UserStream,
  userStream,
} from '../../../events/sessions/user.ts'
import type { AppRef, SessionsContext, UserRef } from '../sessionsContext.ts'
import { claimOf, identifierDigest } from './claimIdentifiers.ts'

/** What the customer calls a user: it says who that is, whatever else is said. */
export const ownType = 'customer_user_id'

/** The user. Throws `not_found` when the application has none, has none any more, or is another's: the same for all. */
export function ownUser(stream: UserStream, { appId, account }: AppRef): UserState {
  const user = activeUser(stream)
  if (user?.app !== appId || user.account !== account) throw notFound()
  return user
}

/** The user as the log has them. Throws `not_found`. */
export async function findOwnUser(
  { users }: Pick<SessionsContext, 'users'>,
  user: UserRef,
): Promise<UserState> {
  return ownUser((await users.catchUp(userStream(user.userId))).state, user)
}

/** A session, as it is known. */
interface AskingSession {
  readonly id: string
  readonly state: SessionState | undefined
}

/**
 * The user, while the session that something is asked from goes on. Throws `invalid_api_token` when it was ended with all others at the
 * same moment, since it must not be kept by what it has asked for.
 */
export function userInSession(stream: UserStream, { id, state }: AskingSession): UserState {
  const user = activeUser(stream)
  if (!user || !state || state.revoked || !isOfEpoch({ id, epoch: state.epoch }, user)) {
    throw notAuthenticated()
  }
  return user
}

/** Answers a request without the token of an active session. */
export function notAuthenticated(): Failure {
  return new Failure('invalid_api_token', 'The access token is missing or not valid.')
}

/** The id of the user of the application who has it, in canonical form; undefined for one that is only claimed for somebody. */
export async function ownerOf(
  context: Pick<SessionsContext, 'identifiers' | 'users' | 'keyring'>,
  { account, appId }: AppRef,
  identifier: Identifier,
): Promise<string | undefined> {
  const digest = identifierDigest(context, appId, identifier)
  const claim = await claimOf(context, digest)
  if (!claim) return undefined
  const { state } = await context.users.catchUp(userStream(claim.user))
  const user = activeUser(state)
  const isOwn = user?.app === appId && user.account === account
  return isOwn && user.identifier_digests.includes(digest) ? claim.user : undefined
}

/**
 * The identifiers that a user was created with, in canonical form; `forgotten` once they were erased: what they were is not known then.
 * Throws `unavailable`.
 */
export async function readIdentifiers(
  context: Pick<SessionsContext, 'events' | 'keyring' | 'users'>,
  userId: string,
): Promise<readonly Identifier[] | 'forgotten'> {
  const stream = userStream(userId)
  const { abandoned: from } = (await context.users.catchUp(stream)).state
  // what stands before the creation are the attempts that came to nothing
  const [recorded] = await context.events.readStream(stream, { from, limit: 1 })
  if (!recorded) throw new Error('a user has no event of their creation')
  const event = (await openEvent(decode(recorded), context.keyring)).event as UserEvent
  if (event.type !== 'UserCreated') throw new Error('a user was not created where it began')
  const { identifiers } = event.data
  return isForgotten(identifiers) ? 'forgotten' : (identifiers as readonly Identifier[])
}
