/** How the events of a user add up in memory. */

import { evolveUser, noUser, type UserEvent, type UserStream } from '../../events/sessions/user.ts'
import type { Family } from '../handling/family.ts'

export const userFamily: Family<UserStream, UserEvent> = {
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
