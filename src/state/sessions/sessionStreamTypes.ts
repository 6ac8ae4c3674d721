/** Declares the stream types of applications, users, identifiers and sessions. */

import type { DomainEvent } from '../../events/recording/event.ts'
import { type AppEvent, type AppState, evolveApp } from '../../events/sessions/appEvents.ts'
import {
  evolveIdentifier,
  type IdentifierEvent,
  type IdentifierState,
  unclaimedIdentifier,
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
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'
import type { StreamType } from '../folding/streamType.ts'

/** Text, and the objects that contain it. */
const bytesPerCharacter = 2

export const appStreamType = declareStreamType(undefined, evolveApp)
export const identifierStreamType = declareStreamType(unclaimedIdentifier, evolveIdentifier)
export const userStreamType = declareStreamType(emptyUserStream, evolveUser)
export const sessionStreamType = {
  ...declareStreamType(undefined, evolveSession),
  lastNeeded: sessionTailMax,
}

function declareStreamType<State extends object | undefined, Event extends DomainEvent>(
  initial: State,
  evolve: StreamType<State, Event>['evolve'],
): StreamType<State, Event> {
  const estimateBytes = (state: State): number =>
    state ? JSON.stringify(state).length * bytesPerCharacter : 0
  return { initial: () => initial, evolve, estimateBytes }
}

/** The streams of applications, users and sessions, and where their hosts are. */
export interface SessionStreams {
  readonly apps: FoldedStreamCache<AppState | undefined, AppEvent>
  readonly users: FoldedStreamCache<UserStreamState, UserEvent>
  readonly sessions: FoldedStreamCache<SessionState | undefined, SessionEvent>
  readonly identifiers: FoldedStreamCache<IdentifierState, IdentifierEvent>
  /** The hosts of applications are right below it. */
  readonly sessionDomain: string
}

/** An application, and the account to find it in. */
export interface AppRef {
  readonly account: string
  readonly appId: string
}

/** A user, and the application to find them in. */
export interface UserRef extends AppRef {
  readonly userId: string
}
