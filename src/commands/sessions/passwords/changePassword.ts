/** Sets and changes passwords, for the back end of an account or for the user (spec 4.4). */

import { requireValidPassword, unchangedPasswordFailure } from '../../../auth/passwordPolicy.ts'
import type { Call, WriteResult } from '../../../domain/call.ts'
import { Failure } from '../../../domain/failure.ts'
import { closedObject, type TypeOf } from '../../../domain/jsonSchema.ts'
import { type Principal, passwordScope, type UserPrincipal } from '../../../domain/principal.ts'
import type { AppSettings, PasswordPolicy } from '../../../domain/sessions/appSettings.ts'
import { normalizeIdentifier } from '../../../domain/sessions/userIdentifiers.ts'
import type { EventContext } from '../../../events/recording/event.ts'
import { type SessionState, sessionStream } from '../../../events/sessions/session.ts'
import {
  findActiveUser,
  findUsableGrants,
  type PasswordChanger,
  type UserEvent,
  type UserState,
  type UserStreamState,
  userStream,
} from '../../../events/sessions/user.ts'
import { idempotencyKeyReused } from '../../../state/folding/rememberedCommands.ts'
import { requireActiveApp } from '../../../state/sessions/findApp.ts'
import {
  customerIdType,
  identifierDigest,
  readIdentifiers,
  requireOwnUserInStream,
  requireUserInSession,
} from '../../../state/sessions/findUser.ts'
import type { UserRef } from '../../../state/sessions/sessionStreamTypes.ts'
import type { WriteContext } from '../../handling/commandContext.ts'
import {
  buildEventContext,
  type CommandResult,
  executeCommand,
  waitUntilVisible,
} from '../../handling/executeCommand.ts'
import { buildSessionsRevoked } from '../revokeSessions.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import { destroyPasswordKey, type PasswordRef, readPasswordHash } from './storedPasswordHashes.ts'

export type PasswordContext = WriteContext &
  Pick<SessionsContext, 'apps' | 'users' | 'sessions' | 'hashing' | 'metrics' | 'background'>

export const passwordTextSchema = {
  type: 'string',
  writeOnly: true,
  description: 'Compared in Unicode form NFC; every character counts, spaces among them.',
} as const
export const passwordInputSchema = closedObject('PasswordInput', { password: passwordTextSchema })
type PasswordInput = TypeOf<typeof passwordInputSchema>

/**
 * Gives a user a password. Every session ends with the password before, unless the application says that none does.
 * Throws `app_not_found`, `not_found`, `invalid_password` for one that the application does not take, and like
 * `PasswordHashing`.
 */
export async function setPassword(
  context: PasswordContext,
  call: Call<Principal>,
  { user: ref, password: text }: PasswordInput & { readonly user: UserRef },
): Promise<WriteResult<unknown>> {
  const { account, appId, userId } = ref
  const { settings } = await requireActiveApp(context, ref)
  const { password: policy, password_change_revokes: revokes } = settings
  // not even the digest of a password belongs in the log: a command that comes again is compared by its hash
  const intention = { account, operation: `passwords.set ${appId} ${userId}`, input: null }
  const eventContext = buildEventContext(context, call, intention)
  const stream = userStream(userId)
  const folded = await context.users.catchUp(stream)
  // nothing is computed for a user whom there is not
  const user = requireOwnUserInStream(folded.state, ref)
  // a command that comes again has made it the current one
  const isRepeated = await context.users.findCompletedCommand(stream, folded, eventContext)
  const current = isRepeated ? undefined : user.password
  const { password, hash } = await hashNewPassword(context, { userId, user, policy, current }, text)
  const made = { userId, passwordId: eventContext.command, hash }
  const handled = await executePasswordChange(context, eventContext, {
    userId,
    decide: (state, nowMs) => {
      const { password: before, epoch } = requireOwnUserInStream(state, ref)
      const changed = buildPasswordChanged(made, { by: 'account' }, nowMs)
      if (before === undefined || revokes === 'none') return [changed]
      return [changed, buildSessionsRevoked({ userId, epoch, reason: 'password' }, nowMs)]
    },
  })
  if (handled.repeated) await assertSamePassword(context, ref, { password, ...handled })
  else context.metrics.passwords.countChange('account')
  return waitUntilVisible(context, handled)
}

/**
 * The user gives themself a password, in a session that has been granted the scope for it, which is used up by that.
 * The other sessions end, none or all, as the application says. Throws `invalid_password`, `insufficient_scope` when
 * the grant was used or is over, `invalid_api_token` when the session has ended, and like `PasswordHashing`.
 */
export async function changeOwnPassword(
  context: PasswordContext,
  call: Call<UserPrincipal>,
  { password: text }: PasswordInput,
): Promise<WriteResult<unknown>> {
  const { accountId: account, appId, userId, sessionId } = call.principal
  const ref = { account, appId, userId }
  const { settings } = await requireActiveApp(context, ref)
  const { password: policy, password_change_revokes: revokes } = settings
  // neither the password nor a digest of it belongs in the log
  const intention = { account, operation: `passwords.change ${userId}`, input: null }
  const eventContext = buildEventContext(context, call, intention)
  // hashing takes its time: a command that has ended the session meanwhile, on any instance, has done it before the
  // change
  const gather = async () => (await context.sessions.catchUp(sessionStream(sessionId))).state
  const decideFor =
    (hash: string): Change['decide'] =>
    (stream, nowMs, state) => {
      const password = { userId, passwordId: eventContext.command, hash }
      const user = requireUserInSession(stream, { id: sessionId, state })
      return decideOwnPasswordChange(user, password, { sessionId, revokes, nowMs })
    }
  // nothing is computed for a user who may not change it any more
  const { state: stream } = await context.users.catchUp(userStream(userId))
  decideFor('')(stream, eventContext.time, await gather())
  const user = requireOwnUserInStream(stream, ref)
  const { password: current } = user
  const { hash } = await hashNewPassword(context, { userId, user, policy, current }, text)
  const change = { userId, gather, decide: decideFor(hash) }
  const handled = await executePasswordChange(context, eventContext, change)
  context.metrics.passwords.countChange('user')
  return waitUntilVisible(context, handled)
}

interface Choosing {
  readonly userId: string
  readonly user: UserState
  readonly policy: PasswordPolicy
  /** The password that it must not be. */
  readonly current: PasswordRef | undefined
}

/** A canonical new password. Throws like `requireValidPassword` and `PasswordHashing`, and `unavailable`. */
async function hashNewPassword(
  context: PasswordContext,
  { userId, user, policy, current }: Choosing,
  text: string,
): Promise<{ readonly password: string; readonly hash: string }> {
  const known = await readIdentifiers(context, userId)
  // a name that was given later is recorded nowhere: it is known by its digest
  const name = normalizeIdentifier({ type: customerIdType, value: text })
  const isName = name && identifierDigest(context, user.app, name) === user.name_digest
  const identifiers = [...(known === 'forgotten' ? [] : known), ...(isName ? [name] : [])]
  const password = await requireValidPassword({ policy, identifiers }, text)
  const { hashing } = context
  const { account } = user
  const before = current && (await readPasswordHash(context, userId, current))
  if (before !== undefined && (await hashing.matches(account, password, before))) {
    throw unchangedPasswordFailure()
  }
  return { password, hash: await hashing.hash(account, password) }
}

interface Change {
  readonly userId: string
  /** Reads the session in which the user changes it; absent where it is the account. */
  readonly gather?: () => Promise<SessionState | undefined>
  readonly decide: (
    state: UserStreamState,
    nowMs: number,
    session: SessionState | undefined,
  ) => readonly UserEvent[]
}

/**
 * Carries the change out, and destroys what could open the hash before. That cannot undo the change when it fails: the
 * failure is told to the operator, and the key is destroyed later; see `openReplacedKeySweep`. Throws what
 * `executeCommand` throws.
 */
export async function executePasswordChange(
  context: PasswordContext,
  eventContext: EventContext,
  { userId, decide, ...gathering }: Change,
): Promise<CommandResult<UserStreamState, UserEvent, PasswordRef | undefined>> {
  const handled = await executeCommand(context, context.users, {
    stream: userStream(userId),
    context: eventContext,
    ...gathering,
    decide: (state, nowMs, session: SessionState | undefined) => ({
      events: decide(state, nowMs, session),
      answer: state.user?.password,
    }),
  })
  const { events, answer: before } = handled
  if (events.length > 0 && before) {
    await destroyPasswordKey(context, userId, before).catch((error: unknown) =>
      context.background.run(() => Promise.reject(error)),
    )
  }
  return handled
}

/**
 * Throws `idempotency_key_reused` when the earlier request had another password, or one that has been replaced since,
 * whether or not its key can still be had here: the answer that a password was set can be relied on.
 */
async function assertSamePassword(
  context: PasswordContext,
  { account, userId }: UserRef,
  { password, position }: { readonly password: string; readonly position: number },
): Promise<void> {
  const stream = userStream(userId)
  const given = (await context.users.stateAt(stream, position)).user?.password
  const now = findActiveUser((await context.users.catchUp(stream)).state)?.password
  const isCurrent = given?.password_id === now?.password_id
  const hash = given && isCurrent ? await readPasswordHash(context, userId, given) : undefined
  if (!(await context.hashing.matches(account, password, hash))) throw idempotencyKeyReused()
}

/** A password that replaces the one before. */
export interface NewPassword {
  readonly userId: string
  /** One that no other password has. */
  readonly passwordId: string
  /** A PHC string. */
  readonly hash: string
}

interface OwnChange {
  /** The session in which it is changed. */
  readonly sessionId: string
  readonly revokes: AppSettings['password_change_revokes']
  readonly nowMs: number
}

/** Changed by the user. Throws `insufficient_scope` when no grant is left that the session can use. */
export function decideOwnPasswordChange(
  user: UserState,
  password: NewPassword,
  { sessionId: session_id, revokes, nowMs }: OwnChange,
): readonly UserEvent[] {
  const { userId } = password
  // of several the one that ends first
  const [grant] = findUsableGrants(user, session_id, nowMs)
    .filter(({ scope }) => scope === passwordScope)
    .toSorted((one, other) => one.expires_at - other.expires_at)
  if (!grant) {
    const message = `The scope '${passwordScope}' has been used, or is over.`
    throw new Failure('insufficient_scope', message)
  }
  const used = { user_id: userId, grant_id: grant.grant_id, session_id, used_at: nowMs }
  const changed: readonly UserEvent[] = [
    { type: 'ScopeUsed', data: used },
    buildPasswordChanged(password, { by: 'user', session_id }, nowMs),
  ]
  if (revokes === 'none') return changed
  const except = revokes === 'others' ? session_id : undefined
  const { epoch } = user
  return [...changed, buildSessionsRevoked({ userId, epoch, reason: 'password', except }, nowMs)]
}

export function buildPasswordChanged(
  { userId: user_id, passwordId: password_id, hash }: NewPassword,
  by: { readonly by: PasswordChanger; readonly session_id?: string },
  nowMs: number,
): UserEvent {
  return {
    type: 'PasswordChanged',
    data: { user_id, password_id, hash, ...by, changed_at: nowMs },
  }
}
