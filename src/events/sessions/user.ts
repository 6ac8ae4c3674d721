/** Declares and folds a user's events (streams `user-{usr_…}`); builds subjects of user data. */

import { findSubjectKind, type Identifier } from '../../domain/sessions/userIdentifiers.ts'
import {
  type DataSubject,
  defineNonPersonalEvent,
  type EventOf,
} from '../recording/eventDefinition.ts'
import {
  epochMs,
  integerFrom,
  list,
  nonEmptyString,
  object,
  oneOf,
} from '../recording/eventSchema.ts'

/** A user as the events add up: plain data, with nothing personal in it. */
export interface UserState {
  readonly app: string
  readonly account: string
  readonly created_at: number
  /** Keyed digests of the identifiers. */
  readonly identifier_digests: readonly string[]
  /** The one among them that was given later, if any: what the customer calls the user. */
  readonly name_digest?: string
  /** From then on there is no such user. */
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
export interface UserStreamState {
  /** How often a creation was abandoned. */
  readonly abandoned: number
  readonly user?: UserState
}

export const userStream = (userId: string): string => `user-${userId}`

export const emptyUserStream: UserStreamState = { abandoned: 0 }

/** The stream after one more event. Throws for an event of a user that was never created. */
export function evolveUser(
  stream: UserStreamState,
  event: UserEvent,
  revision: number,
): UserStreamState {
  const { abandoned, user } = stream
  if (event.type === 'UserCreationAbandoned') {
    return { ...stream, abandoned: abandoned + 1 }
  }
  if (event.type === 'UserCreated') {
    const { app_id: app, account_id: account, identifier_digests, created_at } = event.data
    const created = { app, account, created_at, identifier_digests, epoch: 0, grants: [] }
    return { abandoned, user: created }
  }
  if (!user) throw new Error(`${event.type} of a user who was never created`)
  return { abandoned, user: evolveExisting(user, event, revision) }
}

type Change = Exclude<UserEvent, { type: 'UserCreated' | 'UserCreationAbandoned' }>

function evolveExisting(user: UserState, event: Change, revision: number): UserState {
  switch (event.type) {
    case 'UserNamed': {
      const { identifier_digest: name_digest } = event.data
      return { ...user, name_digest, identifier_digests: [...user.identifier_digests, name_digest] }
    }
    case 'UserDeleted':
      return { ...user, deleted_at: event.data.deleted_at, grants: [] }
    case 'PasswordChanged': {
      const { password_id, changed_at } = event.data
      return { ...user, password: { password_id, revision, changed_at } }
    }
    case 'ScopeGranted': {
      const { user_id: _, ...grant } = event.data
      const unexpired = user.grants.filter(({ expires_at }) => expires_at > grant.granted_at)
      return { ...user, grants: [...unexpired, grant].slice(-grantsMax) }
    }
    case 'ScopeUsed': {
      const { grant_id: used } = event.data
      return { ...user, grants: user.grants.filter(({ grant_id }) => grant_id !== used) }
    }
    case 'SessionsRevoked':
      return withSessionsRevoked(user, event.data)
  }
}

/** How many grants a user has at most: the oldest is forgotten for one more. */
const grantsMax = 200

function withSessionsRevoked(
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
export function findActiveUser({ user }: UserStreamState): UserState | undefined {
  return user?.deleted_at === undefined ? user : undefined
}

/** The grants that the session can use now. */
export function findUsableGrants(
  { grants }: Pick<UserState, 'grants'>,
  sessionId: string,
  nowMs: number,
): readonly ScopeGrant[] {
  return grants.filter(
    ({ session_id: only = sessionId, expires_at }) => expires_at > nowMs && only === sessionId,
  )
}

/** The values whose subject a user is. */
export function userSubject(userId: string) {
  return { kind: 'user', value: userId } as const
}

/** The subject of one password: its key is destroyed when another password replaces it. */
export function passwordSubject(userId: string, passwordId: string) {
  return { kind: 'user', value: `${userId}/${passwordId}` } as const
}

const ofUser = ({ user_id }: { readonly user_id: string }) => userSubject(user_id)
const ofPassword = ({ user_id, password_id }: Record<'user_id' | 'password_id', string>) =>
  passwordSubject(user_id, password_id)

/** Who is erased by number or address is erased as a user, too. */
const alsoOf = ({ identifiers }: { readonly identifiers: readonly Identifier[] }): DataSubject[] =>
  identifiers.flatMap(({ type, value }) => {
    const kind = findSubjectKind(type)
    return kind ? [{ kind, value }] : []
  })

/** `rehash`: the same password, under parameters of today. */
const changers = ['user', 'account', 'rehash'] as const
export type PasswordChanger = (typeof changers)[number]
const revokers = ['user', 'account', 'password'] as const
export type AllSessionsRevokedReason = (typeof revokers)[number]

/**
 * What all sessions of a user depend on is of this stream, so that it changes for all of them at once. Times are in
 * milliseconds since the Unix epoch.
 */
export const userEvents = {
  UserCreated: {
    schema: object({
      user_id: nonEmptyString,
      app_id: nonEmptyString,
      account_id: nonEmptyString,
      // keyed digests of the identifiers, by which they are claimed; see `identifierStream`
      identifier_digests: list(nonEmptyString),
      created_at: epochMs,
    }),
    personal: {
      /** In canonical form. */
      identifiers: {
        subject: ofUser,
        also: alsoOf,
        schema: list(object({ type: nonEmptyString, value: nonEmptyString })),
      },
    },
  },
  /**
   * Another user takes the identifiers that were claimed for a user who was never created: a request that is about to
   * create the user finds the stream changed and checks the claims again.
   */
  UserCreationAbandoned: defineNonPersonalEvent({ user_id: nonEmptyString, abandoned_at: epochMs }),
  /**
   * What the customer calls a user who was created without it: never otherwise from then on. The identifier is not
   * stored: it is found by its keyed digest, and never shown.
   */
  UserNamed: defineNonPersonalEvent({
    user_id: nonEmptyString,
    identifier_digest: nonEmptyString,
    named_at: epochMs,
  }),
  UserDeleted: defineNonPersonalEvent({ user_id: nonEmptyString, deleted_at: epochMs }),
  PasswordChanged: {
    schema: object(
      {
        user_id: nonEmptyString,
        // another one with every change: its data is sealed under a key of its own, which dies with the next change
        password_id: nonEmptyString,
        by: oneOf(changers),
        changed_at: epochMs,
      },
      // in which the user changed it
      { session_id: nonEmptyString },
    ),
    /** With its parameters, as a PHC string. */
    personal: { hash: { subject: ofPassword, schema: nonEmptyString } },
  },
  /** What sessions of the user may do once more than usual; without `session_id` any of them may. */
  ScopeGranted: defineNonPersonalEvent(
    {
      user_id: nonEmptyString,
      grant_id: nonEmptyString,
      scope: nonEmptyString,
      granted_at: epochMs,
      expires_at: epochMs,
    },
    { session_id: nonEmptyString },
  ),
  /** Once only: the grant is gone. */
  ScopeUsed: defineNonPersonalEvent({
    user_id: nonEmptyString,
    grant_id: nonEmptyString,
    session_id: nonEmptyString,
    used_at: epochMs,
  }),
  /**
   * Every session that was started before, but for the one that is kept; `epoch` is of the sessions that are started
   * from now on.
   */
  SessionsRevoked: defineNonPersonalEvent(
    {
      user_id: nonEmptyString,
      epoch: integerFrom(1),
      reason: oneOf(revokers),
      revoked_at: epochMs,
    },
    { kept_session_id: nonEmptyString },
  ),
}

export type UserEvent = EventOf<typeof userEvents>
type ScopeGrant = Omit<Extract<UserEvent, { type: 'ScopeGranted' }>['data'], 'user_id'>
