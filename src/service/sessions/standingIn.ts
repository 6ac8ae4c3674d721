/** A user, while the session that something is asked from goes on. */

import { isOfEpoch, type SessionState } from '../../events/sessions/session.ts'
import { standingUser, type UserState, type UserStream } from '../../events/sessions/user.ts'
import { notAuthenticated } from './authenticateUser.ts'

/** A session, as it is known. */
interface Asking {
  readonly id: string
  readonly state: SessionState | undefined
}

/**
 * The user. Throws `invalid_api_token` when the session was ended with all others at the same moment, since it must not be kept by what it
 * has asked for.
 */
export function standingIn(stream: UserStream, { id, state }: Asking): UserState {
  const user = standingUser(stream)
  if (!user || !state || state.revoked || !isOfEpoch({ id, epoch: state.epoch }, user)) {
    throw notAuthenticated()
  }
  return user
}
