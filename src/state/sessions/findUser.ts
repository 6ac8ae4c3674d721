/** Finds a user by id or identifier, checks their session, and reads their identifiers. */

import { Failure, notFound } from '../../domain/failure.ts'
import { type Identifier, unifyIdentifier } from '../../domain/sessions/userIdentifiers.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import { type IdentifierClaim, identifierStream } from '../../events/sessions/identifier.ts'
import { isOfEpoch, type SessionState } from '../../events/sessions/session.ts'
import {
  findActiveUser,
  type UserEvent,
  type UserState,
  type UserStreamState,
  userStream,
} from '../../events/sessions/user.ts'
import type { StateContext } from '../folding/stateContext.ts'
import type { AppRef, SessionStreams, UserRef } from './sessionStreamTypes.ts'

/** The type of identifier by which the customer names users: it takes precedence over all other identifiers. */
export const customerIdType = 'customer_user_id'

/** The user. Throws the same `not_found` when unknown, deleted, or of another account's application. */
export function requireOwnUserInStream(
  stream: UserStreamState,
  { appId, account }: AppRef,
): UserState {
  const user = findActiveUser(stream)
  if (user?.app !== appId || user.account !== account) throw notFound()
  return user
}

/** The user, read up to the end of the log. Throws `not_found`. */
export async function requireOwnUser(
  { users }: Pick<SessionStreams, 'users'>,
  user: UserRef,
): Promise<UserState> {
  return requireOwnUserInStream((await users.catchUp(userStream(user.userId))).state, user)
}

/**
 * The user, while the asking session is active. Throws `invalid_api_token` when it was ended meanwhile, since its own
 * request must not keep it alive.
 */
export function requireUserInSession(
  stream: UserStreamState,
  { id, state }: { readonly id: string; readonly state: SessionState | undefined },
): UserState {
  const user = findActiveUser(stream)
  if (!user || !state || state.revoked || !isOfEpoch({ id, epoch: state.epoch }, user)) {
    throw notAuthenticated()
  }
  return user
}

/** The refusal without the token of an active session; `wrong` for one that the application has not signed. */
export function notAuthenticated(token?: 'wrong'): Failure {
  const message = 'The access token is missing or not valid.'
  return new Failure('invalid_api_token', message, token && { isWrongToken: true })
}

/** The keyed digest of an identifier in canonical form, in an application; one of all spellings of a number. */
export function identifierDigest(
  { keyring }: Pick<StateContext, 'keyring'>,
  appId: string,
  identifier: Identifier,
): string {
  const { type, value } = unifyIdentifier(identifier)
  return keyring.digest('identifier', JSON.stringify([appId, type, value]))
}

/** The claim on the identifier; undefined when it is unclaimed. */
export async function findClaim(
  { identifiers }: Pick<SessionStreams, 'identifiers'>,
  digest: string,
): Promise<IdentifierClaim | undefined> {
  return (await identifiers.catchUp(identifierStream(digest))).state.claim
}

/** The id of the application's user with this identifier, in canonical form; undefined when it is only claimed. */
export async function findIdentifierOwner(
  context: Pick<SessionStreams, 'identifiers' | 'users'> & Pick<StateContext, 'keyring'>,
  { account, appId }: AppRef,
  identifier: Identifier,
): Promise<string | undefined> {
  const digest = identifierDigest(context, appId, identifier)
  const claim = await findClaim(context, digest)
  if (!claim) return undefined
  const { state } = await context.users.catchUp(userStream(claim.user))
  const user = findActiveUser(state)
  const isOwn = user?.app === appId && user.account === account
  return isOwn && user.identifier_digests.includes(digest) ? claim.user : undefined
}

/** A user's identifiers at creation, in canonical form; `forgotten` once erased. Throws `unavailable`. */
export async function readIdentifiers(
  context: Pick<SessionStreams, 'users'> & Pick<StateContext, 'events' | 'keyring'>,
  userId: string,
): Promise<readonly Identifier[] | 'forgotten'> {
  const stream = userStream(userId)
  const { abandoned: from } = (await context.users.catchUp(stream)).state
  // before the creation there are only events of abandoned attempts
  const [recorded] = await context.events.readStream(stream, { from, limit: 1 })
  if (!recorded) throw new Error('a user has no event of their creation')
  const event = (await openEvent(decode(recorded), context.keyring)).event as UserEvent
  if (event.type !== 'UserCreated') throw new Error('a user was not created where it began')
  const { identifiers } = event.data
  return isForgotten(identifiers) ? 'forgotten' : (identifiers as readonly Identifier[])
}
