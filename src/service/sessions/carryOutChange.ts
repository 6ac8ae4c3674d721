/** The change of a password, however it comes about. */

import type { Command, Handled } from '../../commands/handling/handle.ts'
import type { NewPassword } from '../../commands/sessions/changePassword.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { type UserEvent, type UserStream, userStream } from '../../events/sessions/user.ts'
import { carryOut, type ServiceContext } from '../opening/serviceContext.ts'
import { destroyPassword, type KnownPassword } from './keptPassword.ts'

interface Change {
  readonly userId: string
  readonly eventContext: EventContext
  readonly hash: string
  readonly decide: (password: NewPassword) => Command<UserStream, UserEvent>['decide']
}

/**
 * Carries the change out, and destroys what could open the hash before. That cannot undo the change when it fails: the failure is told to
 * the operator, and the key is destroyed later; see `destroyOldPasswords`. Throws what `handle` throws.
 */
export async function carryOutChange(
  context: ServiceContext,
  { userId, eventContext, hash, decide }: Change,
): Promise<Handled<UserStream, UserEvent>> {
  const { command: passwordId } = eventContext
  let before: KnownPassword | undefined
  const decision = decide({ userId, passwordId, hash })
  const handled = await carryOut(context, context.users, {
    stream: userStream(userId),
    context: eventContext,
    decide: (stream) => {
      before = stream.user?.password
      return decision(stream)
    },
  })
  const isChange = !handled.repeated && handled.events.length > 0
  if (isChange && before) {
    await destroyPassword(context, { userId }, before).catch((error: unknown) =>
      context.background.run(() => Promise.reject(error)),
    )
  }
  return handled
}
