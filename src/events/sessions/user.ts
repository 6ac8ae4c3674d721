/** Declares the events of a user (streams `user-{usr_…}`), their schema and fold. */

import { type Identifier, identifierKinds } from '../../domain/sessions/identifiers.ts'
import { type Definitions, plain, type SubjectOf } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { integerFrom, list, object, oneOf, time, word } from '../recording/schema.ts'
import type { Personal } from '../recording/sealing.ts'

/**
 * What all sessions of a user depend on is of this stream, so that it changes for all of them at once. Times are in milliseconds since the
 * Unix epoch.
 */
export type UserEvent =
  | DomainEvent<
      'UserCreated',
      {
        readonly user_id: string
        readonly app_id: string
        readonly account_id: string
        /** In canonical form. */
        readonly identifiers: Personal<readonly Identifier[]>
        /** Keyed digests of them, by which they are claimed; see `identifierStream`. */
        readonly identifier_digests: readonly string[]
        readonly created_at: number
      }
    >
  /**
   * Somebody else takes the identifiers that were claimed for a user who did not come to be: whoever was about to create the user finds
   * the stream changed and looks at the claims again.
   */
  | DomainEvent<
      'UserCreationAbandoned',
      { readonly user_id: string; readonly abandoned_at: number }
    >
  /** What the customer calls a user who was created without it: never otherwise from then on. */
  | DomainEvent<
      'UserNamed',
      {
        readonly user_id: string
        /** Keyed digest of the identifier, which nobody keeps: it is found, and never shown. */
        readonly identifier_digest: string
        readonly named_at: number
      }
    >
  | DomainEvent<'UserDeleted', { readonly user_id: string; readonly deleted_at: number }>
  | DomainEvent<
      'PasswordChanged',
      {
        readonly user_id: string
        /** Another one with every change: its data is sealed under a key of its own, which dies with the next change. */
        readonly password_id: string
        /** With its parameters, as a PHC string. */
        readonly hash: Personal<string>
        /** `rehash`: the same password, under parameters of today. */
        readonly by: PasswordChanger
        /** In which the user changed it. */
        readonly session_id?: string
        readonly changed_at: number
      }
    >
  | DomainEvent<'ScopeGranted', { readonly user_id: string } & ScopeGrant>
  /** Once only: the grant is gone. */
  | DomainEvent<
      'ScopeUsed',
      {
        readonly user_id: string
        readonly grant_id: string
        readonly session_id: string
        readonly used_at: number
      }
    >
  /** Every session that was started before, but for the one that is kept. */
  | DomainEvent<
      'SessionsRevoked',
      {
        readonly user_id: string
        /** Of the sessions that are started from now on. */
        readonly epoch: number
        readonly kept_session_id?: string
        readonly reason: SessionsRevokedReason
        readonly revoked_at: number
      }
    >

export type PasswordChanger = 'user' | 'account' | 'rehash'
export type SessionsRevokedReason = 'user' | 'account' | 'password'

/** What sessions of the user may do once more than usual. */
export interface ScopeGrant {
  readonly grant_id: string
  readonly scope: string
  /** The one session it is for; any of the user's when it is absent. */
  readonly session_id?: string
  readonly granted_at: number
  readonly expires_at: number
}

/** A user as the events add up: plain data, with nothing personal in it. */
export interface UserState {
  readonly app: string
  readonly account: string
  readonly created_at: number
  /** Keyed digests of the identifiers. */
  readonly identifier_digests: readonly string[]
  /** The one among them that was given later, if any: what the customer calls the user. */
  readonly name_digest?: string
  /** From then on the user is nobody. */
  readonly deleted_at?: number
  /** Counts up with every revocation of all sessions. */
  readonly epoch: number
  /** The one session of an earlier epoch that goes on. */
  readonly kept_session_id?: string
  /** Not used yet; some may have expired. */
  readonly grants: readonly ScopeGrant[]
  /** The password of today: its hash stands in the event at this revision of the stream. */
  readonly password?: {
    readonly password_id: string
    readonly revision: number
    readonly changed_at: number
  }
}

/** The stream of a user, which may have no user yet. */
export interface UserStream {
  /** Of the last event; -1 before the first. */
  readonly revision: number
  /** How often a creation was abandoned. */
  readonly abandoned: number
  readonly user?: UserState
}

/** Of the user with this id. */
export const userStream = (userId: string): string => `user-${userId}`

export const noUser: UserStream = { revision: -1, abandoned: 0 }

/** The stream after one more event. Throws for an event of a user that was never created. */
export function evolveUser(stream: UserStream, event: UserEvent): UserStream {
  const { abandoned, user } = stream
  const revision = stream.revision + 1
  if (event.type === 'UserCreationAbandoned') {
    return { ...stream, revision, abandoned: abandoned + 1 }
  }
  if (event.type === 'UserCreated') {
    const { app_id: app, account_id: account, identifier_digests, created_at } = event.data
    const created = { app, account, created_at, identifier_digests, epoch: 0, grants: [] }
    return { revision, abandoned, user: created }
  }
  if (!user) throw new Error(`${event.type} of a user who was never created`)
  return { revision, abandoned, user: changed(user, event, revision) }
}

type Change = Exclude<UserEvent, { type: 'UserCreated' | 'UserCreationAbandoned' }>

function changed(user: UserState, event: Change, revision: number): UserState {
  switch (event.type) {
    case 'UserNamed': {
      const { identifier_digest: name_digest } = event.data
      return {
        ...user,
        name_digest,
        identifier_digests: [...user.identifier_digests, name_digest],
      }
    }
    case 'UserDeleted':
      return { ...user, deleted_at: event.data.deleted_at, grants: [] }
    case 'PasswordChanged': {
      const { password_id, changed_at } = event.data
      return { ...user, password: { password_id, revision, changed_at } }
    }
    case 'ScopeGranted': {
      const { user_id: _, ...grant } = event.data
      const standing = user.grants.filter(({ expires_at }) => expires_at > grant.granted_at)
      return { ...user, grants: [...standing, grant].slice(-grantsMax) }
    }
    case 'ScopeUsed': {
      const { grant_id: used } = event.data
      return { ...user, grants: user.grants.filter(({ grant_id }) => grant_id !== used) }
    }
    case 'SessionsRevoked':
      return withRevoked(user, event.data)
  }
}

/** How many grants a user has at most: the oldest is forgotten for one more. */
const grantsMax = 200

function withRevoked(
  { kept_session_id: _, ...user }: UserState,
  { epoch, kept_session_id: kept }: { readonly epoch: number; readonly kept_session_id?: string },
): UserState {
  // what was granted was granted to who is out now
  const grants = user.grants.filter(
    ({ session_id }) => session_id !== undefined && session_id === kept,
  )
  return { ...user, epoch, grants, ...(kept !== undefined && { kept_session_id: kept }) }
}

/** The user, unless there is none, or none any more. */
export function activeUser({ user }: UserStream): UserState | undefined {
  return user?.deleted_at === undefined ? user : undefined
}

/** The values whose subject a user is. */
export function userSubject(userId: string) {
  return { kind: 'user', value: userId } as const
}

/** The subject of one password: its key is destroyed when another password replaces it. */
export function passwordSubject(userId: string, passwordId: string) {
  return { kind: 'user', value: `${userId}/${passwordId}` } as const
}

/** Who is erased by number or address is erased as a user, too. */
const alsoOf = ({ identifiers }: { readonly identifiers: readonly Identifier[] }): SubjectOf[] =>
  identifiers.flatMap(({ type, value }) => {
    const kind = identifierKinds[type]
    return kind ? [{ kind, value }] : []
  })

export const userEvents: Definitions<UserEvent> = {
  UserCreated: {
    schema: object({
      user_id: word,
      app_id: word,
      account_id: word,
      identifier_digests: list(word),
      created_at: time,
    }),
    personal: {
      identifiers: {
        subject: ({ user_id }) => userSubject(user_id),
        also: alsoOf,
        schema: list(object({ type: word, value: word })),
      },
    },
  },
  UserCreationAbandoned: plain(object({ user_id: word, abandoned_at: time })),
  UserNamed: plain(object({ user_id: word, identifier_digest: word, named_at: time })),
  UserDeleted: plain(object({ user_id: word, deleted_at: time })),
  PasswordChanged: {
    schema: object(
      {
        user_id: word,
        password_id: word,
        by: oneOf(['user', 'account', 'rehash']),
        changed_at: time,
      },
      { session_id: word },
    ),
    personal: {
      hash: {
        subject: ({ user_id, password_id }) => passwordSubject(user_id, password_id),
        schema: word,
      },
    },
  },
  ScopeGranted: plain(
    object(
      { user_id: word, grant_id: word, scope: word, granted_at: time, expires_at: time },
      { session_id: word },
    ),
  ),
  ScopeUsed: plain(object({ user_id: word, grant_id: word, session_id: word, used_at: time })),
  SessionsRevoked: plain(
    object(
      {
        user_id: word,
        epoch: integerFrom(1),
        reason: oneOf(['user', 'account', 'password']),
        revoked_at: time,
      },
      { kept_session_id: word },
    ),
  ),
}
