/** The change of a password, however it comes about. */

import { acceptedPassword, unchangedPassword } from '../../auth/passwordPolicy.ts'
import type { Command, Handled } from '../../commands/handling/handle.ts'
import type { NewPassword } from '../../commands/sessions/changePassword.ts'
import type { PasswordPolicy } from '../../domain/appSettings.ts'
import { canonicalIdentifier } from '../../domain/identifiers.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  type UserEvent,
  type UserState,
  type UserStream,
  userStream,
} from '../../events/sessions/user.ts'
import { carryOut, type ServiceContext } from '../opening/serviceContext.ts'
import { identifierDigest } from './claimIdentifiers.ts'
import { destroyPassword, type KnownPassword, readPasswordHash } from './keptPassword.ts'
import type { PasswordHashing } from './passwordHashing.ts'
import type { UserPlace } from './sessionsPart.ts'
import { ownType, readIdentifiers } from './userQueries.ts'

interface Choosing {
  readonly place: UserPlace
  /** Who is there. */
  readonly user: UserState
  readonly policy: PasswordPolicy
}

/** A password that is chosen for the user, in its canonical form. Throws like `acceptedPassword`, and `unavailable`. */
export async function chosenPassword(
  context: ServiceContext,
  { place: { appId, userId }, user, policy }: Choosing,
  text: string,
): Promise<string> {
  const known = await readIdentifiers(context, userId)
  // a name that was given later stands nowhere: it is known by its digest
  const name = canonicalIdentifier({ type: ownType, value: text })
  const isName = name && identifierDigest(context, appId, name) === user.name_digest
  const identifiers = [...(known === 'forgotten' ? [] : known), ...(isName ? [name] : [])]
  return acceptedPassword({ policy, identifiers }, text)
}

interface Comparing {
  readonly context: ServiceContext
  readonly hashing: PasswordHashing
}

/** Throws `invalid_password` for the password that the user has already; like `PasswordHashing`, and `unavailable`. */
export async function assertAnother(
  { context, hashing }: Comparing,
  { account, userId }: UserPlace,
  { password, current }: { readonly password: string; readonly current: KnownPassword | undefined },
): Promise<void> {
  const hash = current && (await readPasswordHash(context, userId, current))
  if (hash !== undefined && (await hashing.matches(account, password, hash))) {
    throw unchangedPassword()
  }
}

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
