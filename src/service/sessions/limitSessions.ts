/** How many sessions a user has at a time. */

import { revokeSession } from '../../commands/sessions/revokeSession.ts'
import { Failure } from '../../domain/failure.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { sessionStream } from '../../events/sessions/session.ts'
import type { UserState } from '../../events/sessions/user.ts'
import { findActiveSessions } from '../../queries/sessions/sessions.ts'
import { carryOut, type ServiceContext } from '../opening/serviceContext.ts'
import { ownContext } from './ownContext.ts'

/** Starts at the very same moment may make it a few more; the next one ends those, too. */
const sessionsMax = 100
/** How many are ended by one start. */
const excessMax = 20

/** A session that is one too many. */
interface Excess {
  readonly sessionId: string
  readonly userId: string
}

/** Those seen longest ago, that one more finds room. None while the read models cannot be asked: nobody is kept out for it. */
export async function excessSessions(
  context: ServiceContext,
  userId: string,
  user: UserState,
): Promise<readonly Excess[]> {
  try {
    const nowMs = context.clock.nowMs()
    const active = await findActiveSessions(context, { ...user, user: userId, nowMs })
    const excess = active.slice(sessionsMax - 1).slice(-excessMax)
    return excess.map(({ id }) => ({ sessionId: id, userId }))
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') return []
    throw error
  }
}

/** Ends them. The position of the last event of their ends, 0 where there is none. */
export async function revokeExcess(
  context: ServiceContext,
  eventContext: EventContext,
  excess: readonly Excess[],
): Promise<number> {
  const ended = await Promise.all(
    excess.map((one) =>
      carryOut(context, context.sessions, {
        stream: sessionStream(one.sessionId),
        context: ownContext(context, eventContext),
        decide: revokeSession(one, 'limit', eventContext.time),
      }),
    ),
  )
  return Math.max(0, ...ended.map(({ position }) => position))
}
