/** What a user is known by, as it was recorded. */

import type { Identifier } from '../../domain/identifiers.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import { isForgotten } from '../../events/recording/isForgotten.ts'
import { type UserEvent, userStream } from '../../events/sessions/user.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/**
 * The identifiers that a user was created with, in canonical form; `forgotten` once they were erased: what they were is not known then.
 * Throws `unavailable`.
 */
export async function readIdentifiers(
  context: Pick<ServiceContext, 'events' | 'keyring' | 'users'>,
  userId: string,
): Promise<readonly Identifier[] | 'forgotten'> {
  const stream = userStream(userId)
  const { abandoned: from } = (await context.users.catchUp(stream)).state
  // what stands before the creation are the attempts that came to nothing
  const [recorded] = await context.events.readStream(stream, { from, limit: 1 })
  if (!recorded) throw new Error('a user has no event of their creation')
  const event = (await openEvent(decode(recorded), context.keyring)).event as UserEvent
  if (event.type !== 'UserCreated') throw new Error('a user was not created where it began')
  const { identifiers } = event.data
  return isForgotten(identifiers) ? 'forgotten' : (identifiers as readonly Identifier[])
}
