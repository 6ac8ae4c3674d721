/** A change of a password that was asked for before, under the same `Idempotency-Key`. */

import type { Handled } from '../../commands/handling/handle.ts'
import { Failure } from '../../domain/failure.ts'
import {
  standingUser,
  type UserEvent,
  type UserStream,
  userStream,
} from '../../events/sessions/user.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { readPasswordHash } from './keptPassword.ts'
import type { PasswordHashing } from './passwordHashing.ts'

interface Comparing {
  readonly context: ServiceContext
  readonly hashing: PasswordHashing
}

interface Given {
  readonly account: string
  readonly userId: string
  /** In its canonical form. */
  readonly password: string
}

/**
 * Throws `idempotency_key_reused` when the earlier request had another password, or one that has been replaced since, whether or not its
 * key can still be had here: who is told that a password was set can rely on it.
 */
export async function assertSamePassword(
  { context, hashing }: Comparing,
  { account, userId, password }: Given,
  { position }: Pick<Handled<UserStream, UserEvent>, 'position'>,
): Promise<void> {
  const stream = userStream(userId)
  const given = (await context.users.stateAt(stream, position)).user?.password
  const now = standingUser((await context.users.catchUp(stream)).state)?.password
  const isStanding = given?.password_id === now?.password_id
  const hash = given && isStanding ? await readPasswordHash(context, userId, given) : undefined
  if (await hashing.matches(account, password, hash)) return
  throw new Failure(
    'idempotency_key_reused',
    'The Idempotency-Key was used before with another request.',
  )
}
