/** Verifies the password of a user, and hashes it again when its hash is outdated. */

import { canonicalPassword } from '../../../auth/passwordPolicy.ts'
import type { Call } from '../../../domain/call.ts'
import { Failure } from '../../../domain/failure.ts'
import type { Principal } from '../../../domain/principal.ts'
import { closedObject, limits, openObject, optional, type TypeOf } from '../../../domain/schema.ts'
import { activeUser, userStream } from '../../../events/sessions/user.ts'
import { eventContextOf } from '../../handling/write.ts'
import { findOwnApp } from '../apps/ownApp.ts'
import type { UserRef } from '../sessionsContext.ts'
import {
  type ChangingPassword as Checking,
  carryOutChange,
  passwordText,
} from './changePassword.ts'
import { decideRehash } from './decidePassword.ts'
import { type KnownPassword, readPasswordHash } from './storedPasswords.ts'

interface PasswordAsked {
  readonly user: UserRef
  readonly password: string
}

export const passwordQuestionSchema = closedObject('PasswordQuestion', {
  password: passwordText,
  client: optional({
    type: 'string',
    minLength: 1,
    maxLength: limits.id,
    description:
      'Where the user signs in from: an IP address or device id. Each client may check ten times a minute, so that guessing from one does not lock the user out of others.',
  }),
})

export const passwordCheckSchema = openObject('PasswordCheck', {
  valid: { type: 'boolean', description: 'Also false for an unknown user.' },
})
export type PasswordCheck = TypeOf<typeof passwordCheckSchema>

/**
 * Whether the user has this password. An unknown user has none, and the check takes as long. Throws `app_not_found`, and like
 * `PasswordHashing`.
 */
export async function checkPassword(
  context: Checking,
  call: Call<Principal>,
  { user, password: text }: PasswordAsked,
): Promise<PasswordCheck> {
  await findOwnApp(context, user)
  const { hashing, metrics } = context
  const password = canonicalPassword(text)
  const kept = await findKept(context, user)
  const valid =
    password !== undefined && (await hashing.matches(user.account, password, kept?.hash))
  metrics.passwords.checked(valid ? 'valid' : 'invalid')
  if (valid && kept && hashing.isOutdated(kept.hash)) {
    await rehash(context, call, { user, password, kept })
  }
  return { valid }
}

interface Kept extends KnownPassword {
  readonly hash: string
}

/** Of nobody, and of a user without a password, there is none. Where one is replaced just then, the new one counts. */
async function findKept(context: Checking, user: UserRef): Promise<Kept | undefined> {
  const password = await findPassword(context, user)
  const kept = password && (await readKept(context, user, password))
  if (!password || kept) return kept
  const now = await findPassword(context, user)
  const isAnother = now && now.password_id !== password.password_id
  return isAnother ? readKept(context, user, now) : undefined
}

async function findPassword(
  { users }: Checking,
  { account, appId, userId }: UserRef,
): Promise<KnownPassword | undefined> {
  const user = activeUser((await users.catchUp(userStream(userId))).state)
  return user?.app === appId && user.account === account ? user.password : undefined
}

async function readKept(
  context: Checking,
  { userId }: UserRef,
  password: KnownPassword,
): Promise<Kept | undefined> {
  const hash = await readPasswordHash(context, userId, password)
  return hash === undefined ? undefined : { ...password, hash }
}

interface Outdated extends PasswordAsked {
  readonly kept: Kept
}

/** Where there is no capacity for it, the next check will do. */
async function rehash(
  context: Checking,
  { principal, requestId }: Call<Principal>,
  { user: { account, userId }, password, kept }: Outdated,
): Promise<void> {
  try {
    const intention = { account, operation: `passwords.rehash ${userId}`, input: null }
    const eventContext = eventContextOf(context, { principal, requestId }, intention)
    const { events } = await carryOutChange(context, {
      userId,
      eventContext,
      hash: await context.hashing.hash(account, password),
      decide: (made) => decideRehash(made, kept.password_id, eventContext.time),
    })
    if (events.length > 0) context.metrics.passwords.changed('rehash')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}
