/** Deletes users, erases their data and releases their identifiers. */

import type { Call, Written } from '../../../domain/call.ts'
import { notFound } from '../../../domain/failure.ts'
import type { Principal } from '../../../domain/principal.ts'
import {
  passwordSubject,
  type UserEvent,
  type UserState,
  userStream,
  userSubject,
} from '../../../events/sessions/user.ts'
import type { Erasing } from '../../handling/context.ts'
import { eraseOnce, eraseSubject } from '../../handling/eraseSubject.ts'
import { eventContextOf, write } from '../../handling/write.ts'
import { assertOwnApp } from '../apps/ownApp.ts'
import type { SessionsContext, UserRef } from '../sessionsContext.ts'
import { releaseIdentifiers } from './claimIdentifiers.ts'

type Deleting = Erasing & Pick<SessionsContext, 'apps' | 'users' | 'identifiers'>

/** Repeating it is no error. Throws `app_not_found`, `not_found`. */
export async function deleteUser(
  context: Deleting,
  call: Call<Principal>,
  ref: UserRef,
): Promise<Written<void>> {
  const { account, appId, userId } = ref
  await assertOwnApp(context, ref)
  const intention = { account, operation: `users.delete ${userId}`, input: null }
  const eventContext = eventContextOf(context, call, intention)
  const written = await write(context, context.users, {
    stream: userStream(userId),
    context: eventContext,
    decide: ({ user }, nowMs): readonly UserEvent[] => {
      if (user?.app !== appId || user.account !== account) throw notFound()
      if (user.deleted_at !== undefined) return []
      return [{ type: 'UserDeleted', data: { user_id: userId, deleted_at: nowMs } }]
    },
  })
  const { user } = written.value.state
  if (!user) throw new Error('a user was deleted who is not there')
  // done again when the request is: what ended in between is finished
  for (const subject of subjectsOf(context, userId, user)) {
    await eraseOnce(context, call, { account, subject })
  }
  await releaseIdentifiers(context, { userId, appId, eventContext }, user.identifier_digests)
  return { ...written, value: undefined }
}

/** The subjects that are erased with a user: their own, and that of their password. */
export function subjectsOf(
  { keyring }: Pick<SessionsContext, 'keyring'>,
  userId: string,
  { account, password }: UserState,
): readonly string[] {
  const subjects = [
    userSubject(userId),
    ...(password ? [passwordSubject(userId, password.password_id)] : []),
  ]
  return subjects.map(({ kind, value }) => keyring.subject(account, kind, value))
}

/**
 * Destroys the keys of a deleted user. For commands that sealed data of the user and then find them deleted: the deletion may have listed
 * the keys before. Throws like `eraseSubject`.
 */
export async function eraseGoneUser(
  context: Erasing,
  call: Call<Principal>,
  { account, userId }: Pick<UserRef, 'account' | 'userId'>,
): Promise<void> {
  const { kind, value } = userSubject(userId)
  const subject = context.keyring.subject(account, kind, value)
  await eraseSubject(context, call, { account, subject })
}
