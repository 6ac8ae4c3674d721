/** The hash of a user's password where it stands: sealed in the log, under a key that is destroyed when another takes its place. */

import { decode, openEvent, sealedUnder } from '../../events/catalogue.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import { type UserEvent, type UserState, userStream } from '../../events/sessions/user.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

type PasswordChanged = Extract<UserEvent, { readonly type: 'PasswordChanged' }>

/** A password as the state of its user knows it. */
export type KnownPassword = NonNullable<UserState['password']>

/** Whose it is. */
interface Owner {
  readonly account: string
  readonly userId: string
}

/** The hash; undefined when it was destroyed meanwhile. Throws `unavailable` when its key is lost or damaged, or a store does not answer. */
export async function readPasswordHash(
  context: Pick<ServiceContext, 'events' | 'keyring'>,
  userId: string,
  password: KnownPassword,
): Promise<string | undefined> {
  const sealed = await passwordEvent(context, userId, password)
  const { hash } = (await openEvent(sealed, context.keyring)).event.data
  if (isForgotten(hash)) return undefined
  if (typeof hash !== 'string') throw new Error('a password was opened and is still sealed')
  return hash
}

/** Destroys the key of a password for good, so that its hash can be opened by nobody; again is no error. */
export async function destroyPassword(
  context: Pick<ServiceContext, 'events' | 'keyring' | 'clock'>,
  { userId }: Pick<Owner, 'userId'>,
  password: KnownPassword,
): Promise<void> {
  const { keyring, clock } = context
  const keys = sealedUnder(await passwordEvent(context, userId, password))
  await keyring.destroy(keys, clock.nowMs())
}

async function passwordEvent(
  { events }: Pick<ServiceContext, 'events'>,
  userId: string,
  { revision }: KnownPassword,
): Promise<DecodedEvent<PasswordChanged>> {
  const [recorded] = await events.readStream(userStream(userId), { from: revision, limit: 1 })
  const decoded = recorded && decode(recorded)
  if (decoded?.event.type !== 'PasswordChanged') throw new Error('a password is not where it stood')
  return decoded as DecodedEvent<PasswordChanged>
}
