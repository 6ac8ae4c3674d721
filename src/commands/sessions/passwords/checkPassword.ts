/** Verifies the password of a user, and hashes it again when its hash is outdated. */

import { canonicalizePassword } from '../../../auth/passwordPolicy.ts'
import type { Call } from '../../../domain/call.ts'
import { Failure } from '../../../domain/failure.ts'
import {
  closedObject,
  inputLimits,
  openObject,
  optional,
  type TypeOf,
} from '../../../domain/jsonSchema.ts'
import type { Principal } from '../../../domain/principal.ts'
import { findActiveUser, userStream } from '../../../events/sessions/user.ts'
import { requireActiveApp } from '../../../state/sessions/findApp.ts'
import type { UserRef } from '../../../state/sessions/sessionStreamTypes.ts'
import { buildEventContext } from '../../handling/executeCommand.ts'
import {
  buildPasswordChanged,
  type PasswordContext as Checking,
  executePasswordChange,
  passwordTextSchema,
} from './changePassword.ts'
import { readPasswordHash } from './storedPasswordHashes.ts'

export const passwordQuestionSchema = closedObject('PasswordQuestion', {
  password: passwordTextSchema,
  client: optional({
    type: 'string',
    minLength: 1,
    maxLength: inputLimits.id,
    description:
      'Where the user signs in from: an IP address or device id. Each client may check ten times a minute, so that guessing from one does not lock the user out of others.',
  }),
})

export const passwordCheckSchema = openObject('PasswordCheck', {
  valid: { type: 'boolean', description: 'Also false for an unknown user.' },
})
export type PasswordCheck = TypeOf<typeof passwordCheckSchema>

/**
 * Whether the user has this password. An unknown user has none, and the check takes as long. Throws `app_not_found`,
 * and like `PasswordHashing`.
 */
export async function checkPassword(
  context: Checking,
  call: Call<Principal>,
  { user, password: text }: { readonly user: UserRef; readonly password: string },
): Promise<PasswordCheck> {
  await requireActiveApp(context, user)
  const { hashing, metrics } = context
  const password = canonicalizePassword(text)
  const stored = await findStoredPassword(context, user)
  const valid =
    password !== undefined && (await hashing.matches(user.account, password, stored?.hash))
  metrics.passwords.countCheck(valid ? 'valid' : 'invalid')
  if (valid && stored && hashing.isOutdated(stored.hash)) {
    await rehash(context, call, { user, password, replacedId: stored.id })
  }
  return { valid }
}

/** Undefined for an unknown user and for one without a password. When it is replaced just then, the new one counts. */
async function findStoredPassword(context: Checking, { account, appId, userId }: UserRef) {
  for (let before: string | undefined; ; ) {
    const user = findActiveUser((await context.users.catchUp(userStream(userId))).state)
    const password = user?.app === appId && user.account === account ? user.password : undefined
    if (!password || password.password_id === before) return undefined
    const { password_id: id } = password
    const hash = await readPasswordHash(context, userId, password)
    if (hash !== undefined) return { id, hash }
    before = id
  }
}

interface Rehash extends Readonly<Record<'password' | 'replacedId', string>> {
  readonly user: UserRef
}

/** Hashes the same password again, unless changed since. Without capacity for it, the next check will do. */
async function rehash(
  context: Checking,
  { principal, requestId }: Call<Principal>,
  { user: { account, userId }, password, replacedId }: Rehash,
): Promise<void> {
  try {
    const intention = { account, operation: `passwords.rehash ${userId}`, input: null }
    const eventContext = buildEventContext(context, { principal, requestId }, intention)
    const hash = await context.hashing.hash(account, password)
    const made = { userId, passwordId: eventContext.command, hash }
    const { events } = await executePasswordChange(context, eventContext, {
      userId,
      decide: (stream, nowMs) =>
        findActiveUser(stream)?.password?.password_id === replacedId
          ? [buildPasswordChanged(made, { by: 'rehash' }, nowMs)]
          : [],
    })
    if (events.length > 0) context.metrics.passwords.countChange('rehash')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}
