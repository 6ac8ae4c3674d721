/** Declares the stream types of applications, users, identifiers and sessions. */

import type { DomainEvent } from '../../events/recording/event.ts'
import { evolveApp } from '../../events/sessions/appEvents.ts'
import { evolveIdentifier, unclaimedIdentifier } from '../../events/sessions/identifier.ts'
import { evolveSession, sessionTailMax } from '../../events/sessions/session.ts'
import { emptyUserStream, evolveUser } from '../../events/sessions/user.ts'
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
