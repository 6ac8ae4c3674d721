/** Passwords as the back ends of accounts set and check them. */

import { canonicalPassword } from '../../auth/passwordPolicy.ts'
import type { Handled } from '../../commands/handling/handle.ts'
import { rehashPassword, setPassword } from '../../commands/sessions/changePassword.ts'
import { ownUser } from '../../commands/sessions/createUser.ts'
import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import {
  standingUser,
  type UserEvent,
  type UserStream,
  userStream,
} from '../../events/sessions/user.ts'
import type { PasswordMeter } from '../../metrics/passwordMeter.ts'
import { eventContextOf, type ServiceContext, whenVisible } from '../opening/serviceContext.ts'
import { assertAnother, carryOutChange, chosenPassword } from './carryOutChange.ts'
import { type KnownPassword, readPasswordHash } from './keptPassword.ts'
import { ownAppNow } from './ownAppNow.ts'
import type { PasswordHashing } from './passwordHashing.ts'
import type { PasswordsPart, UserPlace } from './sessionsPart.ts'

type Passwords = PasswordsPart['passwords']

/** What it takes. */
export interface PasswordTools {
  readonly hashing: PasswordHashing
  readonly meter: Pick<PasswordMeter, 'changed' | 'checked'>
}

/** Gives a user a password. */
export function openSetPassword(context: ServiceContext, tools: PasswordTools): Passwords['set'] {
  const { hashing, meter } = tools
  return async (call, place, input) => {
    const { account, appId, userId } = place
    const { settings } = await ownAppNow(context, place)
    const revokes = settings.password_change_revokes
    // not even the digest of a password belongs in the log: a command that comes again is compared by its hash
    const intention = { account, operation: `passwords.set ${appId} ${userId}`, input: null }
    const eventContext = eventContextOf(context, call, intention)
    const { time } = eventContext
    const stream = userStream(userId)
    const held = await context.users.catchUp(stream)
    // nothing is computed for a user whom there is not
    const user = ownUser(held.state, place)
    const choosing = { place, user, policy: settings.password }
    const password = await chosenPassword(context, choosing, input.password)
    // a command that comes again has made it the current one
    if (!(await context.users.repeated(stream, held, eventContext))) {
      await assertAnother({ context, hashing }, place, { password, current: user.password })
    }
    const handled = await carryOutChange(context, {
      userId,
      eventContext,
      hash: await hashing.hash(account, password),
      decide: (made) => setPassword(made, { place, revokes }, time),
    })
    if (handled.repeated) {
      await assertSamePassword({ context, hashing }, { account, userId, password }, handled)
    } else meter.changed('account')
    return { ...(await whenVisible(context, handled)), value: undefined }
  }
}

/** Says whether a user has a password. */
export function openCheckPassword(
  context: ServiceContext,
  tools: PasswordTools,
): Passwords['check'] {
  const { hashing, meter } = tools
  return async (call, place, input) => {
    await ownAppNow(context, place)
    const password = canonicalPassword(input.password)
    const kept = await findKept(context, place)
    const matches =
      password !== undefined && (await hashing.matches(place.account, password, kept?.hash))
    meter.checked(matches ? 'valid' : 'invalid')
    if (matches && kept && hashing.isOutdated(kept.hash)) {
      await raise({ context, call, place, tools }, password, kept)
    }
    return { valid: matches }
  }
}

interface Kept extends KnownPassword {
  readonly hash: string
}

/** Of nobody, and of a user without a password, there is none. One that is replaced just then has another in its place. */
async function findKept(context: ServiceContext, place: UserPlace): Promise<Kept | undefined> {
  const password = await findPassword(context, place)
  const kept = password && (await readKept(context, place, password))
  if (!password || kept) return kept
  const now = await findPassword(context, place)
  const isAnother = now && now.password_id !== password.password_id
  return isAnother ? readKept(context, place, now) : undefined
}

async function findPassword(
  { users }: ServiceContext,
  { account, appId, userId }: UserPlace,
): Promise<KnownPassword | undefined> {
  const user = standingUser((await users.catchUp(userStream(userId))).state)
  return user?.app === appId && user.account === account ? user.password : undefined
}

async function readKept(
  context: ServiceContext,
  { userId }: UserPlace,
  password: KnownPassword,
): Promise<Kept | undefined> {
  const hash = await readPasswordHash(context, userId, password)
  return hash === undefined ? undefined : { ...password, hash }
}

interface Raising {
  readonly context: ServiceContext
  readonly call: Call<Principal>
  readonly place: UserPlace
  readonly tools: PasswordTools
}

/** Hashes the password again, at what hashes cost today; where there is no room for that, the next time will do. */
async function raise(
  { context, call, place, tools: { hashing, meter } }: Raising,
  password: string,
  { password_id: replaced }: Kept,
): Promise<void> {
  const { account, userId } = place
  try {
    const intention = { account, operation: `passwords.rehash ${userId}`, input: null }
    const { principal, requestId } = call
    const eventContext = eventContextOf(context, { principal, requestId }, intention)
    const { events } = await carryOutChange(context, {
      userId,
      eventContext,
      hash: await hashing.hash(account, password),
      decide: (made) => rehashPassword(made, replaced, eventContext.time),
    })
    if (events.length > 0) meter.changed('rehash')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}

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
async function assertSamePassword(
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
