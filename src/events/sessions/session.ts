/** Declares and folds a session's events (streams `session-{ses_…}`); checks if it is active. */

import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import {
  epochMs,
  integerFrom,
  list,
  nonEmptyString,
  object,
  oneOf,
  text,
} from '../recording/eventSchema.ts'
import { findActiveUser, type UserState, type UserStreamState, userSubject } from './user.ts'

/**
 * Who or what ended a session: `reuse` of a refresh token, `limit` when the user began too many, `expired` when it was
 * refreshed too late.
 */
const revokedReasons = ['user', 'account', 'reuse', 'limit', 'expired'] as const
export type SessionRevokedReason = (typeof revokedReasons)[number]

/** How often the answer of a refresh is given again to a client that has the key. */
export const refreshRepeatsMax = 5

/** A session as its events add up: plain data, with nothing personal in it. */
export interface SessionState {
  readonly user: string
  readonly app: string
  readonly account: string
  readonly epoch: number
  readonly started_at: number
  readonly last_seen_at: number
  readonly expires_at: number
  readonly generation: number
  readonly refresh_token_hash: string
  /** Of the generation before. */
  readonly previous_token_hash?: string
  /** Absent until the first refresh. */
  readonly key_thumbprint?: string
  /** Proofs that the last refresh was asked for with. */
  readonly proof_ids: readonly string[]
  /** Of the last access token. */
  readonly scopes: readonly string[]
  /** The revision of the event that recorded the device. */
  readonly device_at: number
  readonly revoked?: { readonly reason: SessionRevokedReason; readonly revoked_at: number }
}

export const sessionStream = (sessionId: string): string => `session-${sessionId}`

/**
 * Events at the end of a session that make the same state as all of it: the last refresh, the one before it, the
 * repetitions of both, a revocation.
 */
export const sessionTailMax = 2 * (1 + refreshRepeatsMax) + 1

/** The session after one more event; undefined before it is started. Throws for an event of one that is not. */
export function evolveSession(
  state: SessionState | undefined,
  event: SessionEvent,
  revision: number,
): SessionState {
  if (event.type === 'SessionStarted') {
    const { session_id: _, device: __, user_id, app_id, account_id, ...started } = event.data
    const ids = { user: user_id, app: app_id, account: account_id }
    const { started_at: last_seen_at } = started
    return { ...ids, ...started, last_seen_at, generation: 0, proof_ids: [], device_at: 0 }
  }
  if (!state) throw new Error(`${event.type} of a session that was never started`)
  if (event.type === 'SessionRevoked') {
    const { reason, revoked_at } = event.data
    return { ...state, revoked: { reason, revoked_at } }
  }
  if (event.type === 'RefreshRepeated') {
    return { ...state, proof_ids: [...state.proof_ids, event.data.proof_id] }
  }
  const { session_id: _, user_id: __, proof_id, device, refreshed_at, ...refreshed } = event.data
  return {
    ...state,
    ...refreshed,
    previous_token_hash: state.refresh_token_hash,
    proof_ids: [proof_id],
    device_at: device === undefined ? refreshed.device_at : revision,
    last_seen_at: refreshed_at,
  }
}

const ofUser = ({ user_id }: { readonly user_id: string }) => userSubject(user_id)

const device = object({
  device_type: text,
  device_model: text,
  os_version: text,
  country_code: text,
})

/** What ends all sessions of a user at once is of the user's stream. Times are in milliseconds since the Unix epoch. */
export const sessionEvents = {
  SessionStarted: {
    schema: object({
      session_id: nonEmptyString,
      user_id: nonEmptyString,
      app_id: nonEmptyString,
      account_id: nonEmptyString,
      // the user's when it was decided: had all sessions been revoked since, this one would be among them
      epoch: integerFrom(0),
      // SHA-256 of the refresh token, in base64url
      refresh_token_hash: nonEmptyString,
      // of the first access token
      scopes: list(nonEmptyString),
      started_at: epochMs,
      expires_at: epochMs,
    }),
    personal: { device: { subject: ofUser, schema: device } },
  },
  SessionRefreshed: {
    schema: object({
      session_id: nonEmptyString,
      user_id: nonEmptyString,
      // counts up from 1; the refresh token that the session was started with is generation 0
      generation: integerFrom(1),
      // of the refresh token that takes the place of the one presented
      refresh_token_hash: nonEmptyString,
      // RFC 7638, of the key that refreshes of this session are bound to
      key_thumbprint: nonEmptyString,
      // of the DPoP proof that asked for it: keyed digest of its `jti`
      proof_id: nonEmptyString,
      // of the access token made with it
      scopes: list(nonEmptyString),
      // where the device of before is recorded: a revision of the stream
      device_at: integerFrom(0),
      refreshed_at: epochMs,
      expires_at: epochMs,
    }),
    // as a whole, when something of it has changed
    personal: { device: { subject: ofUser, schema: device, optional: true } },
  },
  /** The answer was lost and is given again, to another proof by the same key. */
  RefreshRepeated: defineNonPersonalEvent({
    session_id: nonEmptyString,
    user_id: nonEmptyString,
    proof_id: nonEmptyString,
    repeated_at: epochMs,
  }),
  SessionRevoked: defineNonPersonalEvent({
    session_id: nonEmptyString,
    user_id: nonEmptyString,
    reason: oneOf(revokedReasons),
    revoked_at: epochMs,
  }),
} as const

export type SessionEvent = EventOf<typeof sessionEvents>

/**
 * Whether the session of an active application is active at this time. One that was started while all were revoked is
 * not: it is of the epoch before.
 */
export function isActiveSession(
  { id, state }: { readonly id: string; readonly state: SessionState },
  stream: UserStreamState,
  nowMs: number,
): boolean {
  const user = findActiveUser(stream)
  const isOver = state.revoked !== undefined || state.expires_at <= nowMs
  return user !== undefined && !isOver && isOfEpoch({ id, epoch: state.epoch }, user)
}

/** Whether the session was not revoked with all others of its user. */
export function isOfEpoch(
  { id, epoch }: { readonly id: string; readonly epoch: number },
  user: Pick<UserState, 'epoch' | 'kept_session_id'>,
): boolean {
  return epoch === user.epoch || user.kept_session_id === id
}
