/** A user, for whoever is about to change something of theirs. */

import { ownUser } from '../../commands/sessions/createUser.ts'
import { type UserState, userStream } from '../../events/sessions/user.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { UserPlace } from './usersPart.ts'

/** The user as the log has them. Throws `not_found`. */
export async function userNow(
  { users }: Pick<ServiceContext, 'users'>,
  place: UserPlace,
): Promise<UserState> {
  return ownUser((await users.catchUp(userStream(place.userId))).state, place)
}
