/** Declares the stream types of applications, users, identifiers and sessions. */

import { type AppEvent, type AppState, evolveApp } from '../../events/sessions/appEvents.ts'
import {
  evolveIdentifier,
  type IdentifierEvent,
  type IdentifierState,
} from '../../events/sessions/identifier.ts'
import {
  evolveSession,
  type SessionEvent,
  type SessionState,
  sessionTailMax,
} from '../../events/sessions/session.ts'
import {
  emptyUserStream,
  evolveUser,
  type UserEvent,
  type UserStreamState,
} from '../../events/sessions/user.ts'
import type { StreamType } from '../handling/streamType.ts'

/** Text, and the objects that contain it. */
const bytesPerCharacter = 2

const weigh = (state: object | undefined): number =>
  state ? JSON.stringify(state).length * bytesPerCharacter : 0

export const sessionStreamType: StreamType<SessionState | undefined, SessionEvent> = {
  initial: () => undefined,
  evolve: evolveSession,
  lastNeeded: sessionTailMax,
  estimateBytes: weigh,
}

export const appStreamType: StreamType<AppState | undefined, AppEvent> = {
  initial: () => undefined,
  evolve: evolveApp,
  estimateBytes: weigh,
}

export const identifierStreamType: StreamType<IdentifierState, IdentifierEvent> = {
  initial: () => ({}),
  evolve: evolveIdentifier,
  estimateBytes: weigh,
}

export const userStreamType: StreamType<UserStreamState, UserEvent> = {
  initial: () => emptyUserStream,
  evolve: evolveUser,
  estimateBytes: weigh,
}
