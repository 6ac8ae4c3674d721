/** Creates users, gives creations up, names users, and deletes them. */

import { Failure, notFound } from '../../domain/failure.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import {
  noUser,
  standingUser,
  type UserEvent,
  type UserStream,
} from '../../events/sessions/user.ts'

interface NewUser {
  readonly userId: string
  readonly appId: string
  readonly account: string
  /** In canonical form. */
  readonly identifiers: readonly Identifier[]
  readonly digests: readonly string[]
  /** How often the creation had been abandoned when the identifiers were claimed. */
  readonly abandoned: number
}

/**
 * The decision. Throws `conflict` when the creation was abandoned after the identifiers were claimed: they may be somebody else's by now,
 * and are to be claimed again.
 */
export function createUser(
  { userId, appId, account, identifiers, digests, abandoned }: NewUser,
  nowMs: number,
) {
  return (stream: UserStream): readonly UserEvent[] => {
    if (stream.user || stream.abandoned !== abandoned) {
      throw new Failure('conflict', 'Another request claims the same identifiers; try again.', {
        retryAfterSeconds: 1,
      })
    }
    const data = {
      user_id: userId,
      app_id: appId,
      account_id: account,
      identifiers,
      identifier_digests: digests,
      created_at: nowMs,
    }
    return [{ type: 'UserCreated', data }]
  }
}

/** The decision: a user who is there is left alone, as is one whose creation nobody has begun since the last time. */
export function abandonCreation(userId: string, seen: number, nowMs: number) {
  return ({ user, abandoned }: UserStream = noUser): readonly UserEvent[] =>
    user || abandoned !== seen
      ? []
      : [{ type: 'UserCreationAbandoned', data: { user_id: userId, abandoned_at: nowMs } }]
}

/** The application that a user is looked for in, of the account. */
interface Place {
  readonly appId: string
  readonly account: string
}

/** The user. Throws `not_found` when the application has none, has none any more, or is another's: the same for all. */
export function ownUser(stream: UserStream, { appId, account }: Place) {
  const user = standingUser(stream)
  if (user?.app !== appId || user.account !== account) throw notFound()
  return user
}

interface Name {
  /** Keyed digest of the identifier that the customer calls the user by, claimed for the user. */
  readonly digest: string
  readonly nowMs: number
}

/**
 * The decision for a user who was created without a name: again is no error. Throws `not_found`, and `conflict` for a user who was given
 * another name since.
 */
export function nameUser(userId: string, place: Place, { digest, nowMs }: Name) {
  return (stream: UserStream): readonly UserEvent[] => {
    const { identifier_digests, name_digest } = ownUser(stream, place)
    if (identifier_digests.includes(digest)) return []
    if (name_digest !== undefined) {
      throw new Failure('conflict', 'The user is called otherwise by now.')
    }
    return [
      { type: 'UserNamed', data: { user_id: userId, identifier_digest: digest, named_at: nowMs } },
    ]
  }
}

/** The decision of whoever comes upon a name that was claimed for a user: they are given it, unless they are gone or have one. */
export function endNaming(userId: string, { digest, nowMs }: Name) {
  return (stream: UserStream = noUser): readonly UserEvent[] => {
    const user = standingUser(stream)
    const isOpen = user && user.name_digest === undefined
    if (!isOpen || user.identifier_digests.includes(digest)) return []
    const data = { user_id: userId, identifier_digest: digest, named_at: nowMs }
    return [{ type: 'UserNamed', data }]
  }
}

/** The decision: again is no error. Throws `not_found`. */
export function deleteUser(userId: string, { appId, account }: Place, nowMs: number) {
  return ({ user }: UserStream): readonly UserEvent[] => {
    if (user?.app !== appId || user.account !== account) throw notFound()
    if (user.deleted_at !== undefined) return []
    return [{ type: 'UserDeleted', data: { user_id: userId, deleted_at: nowMs } }]
  }
}

interface NewGrants {
  readonly userId: string
  readonly place: { readonly appId: string; readonly account: string }
  readonly grants: readonly { readonly grantId: string; readonly scope: string }[]
  /** The one session that they are for; any of the user's unless given. */
  readonly sessionId: string | undefined
  readonly lifetimeMs: number
}

/** The decision: a grant that is there already is not given again. Throws `not_found`. */
export function grantScopes(
  { userId, place, grants, sessionId, lifetimeMs }: NewGrants,
  nowMs: number,
) {
  return (stream: UserStream): readonly UserEvent[] => {
    const known = new Set(ownUser(stream, place).grants.map(({ grant_id }) => grant_id))
    return grants
      .filter(({ grantId }) => !known.has(grantId))
      .map(({ grantId, scope }) => ({
        type: 'ScopeGranted',
        data: {
          user_id: userId,
          grant_id: grantId,
          scope,
          ...(sessionId !== undefined && { session_id: sessionId }),
          granted_at: nowMs,
          expires_at: nowMs + lifetimeMs,
        },
      }))
  }
}
