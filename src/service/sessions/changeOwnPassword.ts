/** A user changes the password, in a session that may do so once (spec 4.4). */

import { changeOwnPassword, type NewPassword } from '../../commands/sessions/changePassword.ts'
import { ownUser } from '../../commands/sessions/createUser.ts'
import { sessionStream } from '../../events/sessions/session.ts'
import { type UserStream, userStream } from '../../events/sessions/user.ts'
import { eventContextOf, type ServiceContext, whenVisible } from '../opening/serviceContext.ts'
import { assertAnother, carryOutChange, chosenPassword } from './carryOutChange.ts'
import { ownAppNow } from './ownAppNow.ts'
import type { PasswordTools } from './passwords.ts'
import type { PasswordsPart } from './sessionsPart.ts'
import { standingIn } from './standingIn.ts'

export function openChangeOwnPassword(
  context: ServiceContext,
  { hashing, meter }: PasswordTools,
): PasswordsPart['passwords']['changeOwn'] {
  return async (call, input) => {
    const { accountId: account, appId, userId, sessionId } = call.principal
    const place = { account, appId, userId }
    const { settings } = await ownAppNow(context, place)
    // neither the password nor a digest of it belongs in the log
    const intention = { account, operation: `passwords.change ${userId}`, input: null }
    const eventContext = eventContextOf(context, call, intention)
    const revokes = settings.password_change_revokes
    const decide = (made: NewPassword) => async (user: UserStream) => {
      // hashing takes its time: whoever has ended the session meanwhile, wherever, has done it before this
      const { state } = await context.sessions.catchUp(sessionStream(sessionId))
      const standing = (stream: UserStream) => standingIn(stream, { id: sessionId, state })
      return changeOwnPassword(made, { sessionId, standing, revokes }, eventContext.time)(user)
    }
    // nothing is computed for a user who may not change it any more
    const { state: stream } = await context.users.catchUp(userStream(userId))
    await decide({ userId, passwordId: '', hash: '' })(stream)
    const user = ownUser(stream, place)
    const choosing = { place, user, policy: settings.password }
    const password = await chosenPassword(context, choosing, input.password)
    await assertAnother({ context, hashing }, place, { password, current: user.password })
    const hash = await hashing.hash(account, password)
    const handled = await carryOutChange(context, { userId, eventContext, hash, decide })
    meter.changed('user')
    return { ...(await whenVisible(context, handled)), value: undefined }
  }
}
