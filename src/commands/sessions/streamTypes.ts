/** Declares how the streams of applications, users, identifiers and sessions are folded. */

import { type AppEvent, type AppState, evolveApp } from '../../events/sessions/app.ts'
import {
  evolveIdentifier,
  type IdentifierEvent,
  type IdentifierStream,
  noIdentifier,
} from '../../events/sessions/identifier.ts'
import {
  evolveSession,
  lastOfSession,
  type SessionEvent,
  type SessionState,
} from '../../events/sessions/session.ts'
import { evolveUser, noUser, type UserEvent, type UserStream } from '../../events/sessions/user.ts'
import type { StreamType } from '../handling/streamType.ts'

export const sessionStreamType: StreamType<SessionState | undefined, SessionEvent> = {
  initial: () => undefined,
  evolve: evolveSession,
  lastNeeded: lastOfSession,
  weigh: (state) =>
    state
      ? sessionBytes + state.scopes.length * scopeBytes + state.proof_ids.length * proofBytes
      : 0,
}

const sessionBytes = 1_200
const scopeBytes = 150
const proofBytes = 80

export const appStreamType: StreamType<AppState | undefined, AppEvent> = {
  initial: () => undefined,
  evolve: evolveApp,
  weigh: (state) => (state ? JSON.stringify(state).length * bytesPerCharacter : 0),
}

/** Text, and the objects that hold it. */
const bytesPerCharacter = 3

export const identifierStreamType: StreamType<IdentifierStream, IdentifierEvent> = {
  initial: () => noIdentifier,
  evolve: evolveIdentifier,
  weigh: ({ claim }) => (claim ? claimBytes : 0),
}

const claimBytes = 200

export const userStreamType: StreamType<UserStream, UserEvent> = {
  initial: () => noUser,
  evolve: evolveUser,
  weigh: ({ user }) =>
    user
      ? userBytes + user.identifier_digests.length * digestBytes + user.grants.length * grantBytes
      : 0,
}

/** What a user takes beside digests and grants, and each of those. */
const userBytes = 700
const digestBytes = 100
const grantBytes = 400
