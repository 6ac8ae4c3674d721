/** Finds out whether a user has no session but the one that something is asked from. */

import { Failure } from '../../domain/failure.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import { standingUser, userStream } from '../../events/sessions/user.ts'
import { findActiveSessions, isSessionParked } from '../../queries/sessions/sessions.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** How long the read models may take to show what is in the log. */
const waitMs = 500

/**
 * Whether that is known of every session that was started before. It is not while the read models are behind or away, or have set aside
 * what became of any session: who takes it for no ends too much, never too little.
 */
export async function isAlone(
  context: ServiceContext,
  { userId, sessionId }: Pick<UserPrincipal, 'userId' | 'sessionId'>,
): Promise<boolean> {
  const head = await context.events.head()
  if (!(await context.projections.waitFor(head, waitMs))) return false
  const user = standingUser((await context.users.catchUp(userStream(userId))).state)
  if (!user) return false
  try {
    if (await isSessionParked(context)) return false
    const asked = { ...user, user: userId, nowMs: context.clock.nowMs() }
    return (await findActiveSessions(context, asked)).every(({ id }) => id === sessionId)
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') return false
    throw error
  }
}
