/** Validates a legacy session, finds or creates its user, and starts a new session. */

import type { Call } from '../../../domain/call.ts'
import { Failure, type FailureCode, notFound } from '../../../domain/failure.ts'
import type { ApplicationPrincipal } from '../../../domain/principal.ts'
import type { ServedApp } from '../../../domain/sessions/appSettings.ts'
import type { Identifier } from '../../../domain/sessions/userIdentifiers.ts'
import { findActiveUser, userStream } from '../../../events/sessions/user.ts'
import type { MigrationResult } from '../../../metrics/meters.ts'
import { requireActiveApp } from '../../../state/sessions/findApp.ts'
import {
  customerIdType,
  findIdentifierOwner,
  identifierDigest,
  notAuthenticated,
  readIdentifiers,
} from '../../../state/sessions/findUser.ts'
import type { AppRef } from '../../../state/sessions/sessionStreamTypes.ts'
import { buildEventContext } from '../../handling/executeCommand.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import { type StartedSession, type StartSessionContext, startSession } from '../startSession.ts'
import { claimIdentifiers, nameUser, releaseIdentifiers } from '../users/claimIdentifiers.ts'
import { createUser, type UserCreationContext } from '../users/users.ts'
import { SlotsExhausted } from './limitCustomerCalls.ts'
import {
  type ValidationContext,
  ValidationPaused,
  validateLegacySession,
} from './validateLegacySession.ts'

/** A token of the system before, as a user has presented it. */
export interface LegacyToken {
  /** The application whose host was asked. */
  readonly app: ServedApp
  readonly requestId: string
  readonly token: string
  /** Where the connection comes from, two upper-case letters; undefined leaves it to what the customer says. */
  readonly countryCode: string | undefined
}

type MigrationContext = ValidationContext &
  UserCreationContext &
  StartSessionContext &
  Pick<SessionsContext, 'metrics'>

/**
 * Asks the customer whether the legacy session is valid, and starts a session of the user that the customer names,
 * created when new. Throws `not_configured` while the application names no URL, `invalid_api_token` for a session that
 * is not valid, `session_validation_failed` when the answer does not follow the contract, and while the URL is paused,
 * `rate_limited` when too many questions of the account are under way, `unavailable` when too many of all are, and
 * `conflict` when the identifiers belong to different users, or the user is deleted meanwhile.
 */
export async function migrateSession(
  context: MigrationContext,
  legacy: LegacyToken,
): Promise<StartedSession> {
  const { sessions: meter } = context.metrics
  try {
    const started = await migrate(context, legacy)
    meter.countMigration('migrated')
    return started
  } catch (error) {
    meter.countMigration(toMigrationResult(error))
    throw error
  }
}

async function migrate(
  context: MigrationContext,
  { app: { account, appId }, token, requestId, countryCode }: LegacyToken,
): Promise<StartedSession> {
  const app = { account, appId }
  const { migration } = await requireActiveApp(context, app)
  if (!migration) {
    throw new Failure('not_configured', 'The application takes no sessions of another system.')
  }
  const { session_validation_url: url } = migration
  const validation = await validateLegacySession(context, { ...app, requestId, url, token })
  if (!validation.valid) throw notAuthenticated()
  const call: Call<ApplicationPrincipal> = {
    principal: { kind: 'application', accountId: account, appId },
    requestId,
  }
  const { identifiers } = validation
  // the connection is of now, what the customer knows of before
  const device = countryCode
    ? { ...validation.device, country_code: countryCode }
    : validation.device
  const userId = await findOrCreateMigratedUser(context, { call, app, identifiers })
  try {
    return (await startSession(context, call, { user: { ...app, userId }, input: device })).value
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error
    // the next try asks the customer once more, and creates a new user when the customer still knows them
    const message = 'The user was deleted meanwhile; try again.'
    throw new Failure('conflict', message, { retryAfterSeconds: 1 })
  }
}

function toMigrationResult(error: unknown): MigrationResult {
  if (error instanceof ValidationPaused) return 'paused'
  if (error instanceof SlotsExhausted) return 'crowded'
  return error instanceof Failure ? (results.get(error.code) ?? 'faulted') : 'faulted'
}

/** Other codes are faults of the service. */
const results = new Map<FailureCode, MigrationResult>([
  ['invalid_api_token', 'refused'],
  ['not_configured', 'unconfigured'],
  ['app_not_found', 'unconfigured'],
  ['session_validation_failed', 'failed'],
  ['conflict', 'conflict'],
  ['identifier_already_exists', 'conflict'],
  ['rate_limited', 'crowded'],
])

/** How often it is tried again when others have created, named or deleted the same user meanwhile. */
const attemptsMax = 3
const overtakenCodes: readonly string[] = ['identifier_already_exists', 'conflict', 'not_found']

interface Named {
  readonly call: Call<ApplicationPrincipal>
  readonly app: AppRef
  /** At least one, in canonical form, each once. */
  readonly identifiers: readonly Identifier[]
}

/**
 * The id of the user who has the identifiers, or of a new user when nobody has them. A user without a name gets the one
 * that the customer gives, so that a number that passes to another person does not open the account of its former
 * owner. Throws `conflict` when the identifiers belong to different users, or to one who has, or may have, another
 * name.
 */
export async function findOrCreateMigratedUser(
  context: UserCreationContext,
  named: Named,
): Promise<string> {
  const { call, app, identifiers } = named
  for (let attempt = 1; ; attempt += 1) {
    const known = await findKnownUser(context, app, identifiers)
    try {
      if (!known) return (await createUser(context, call, { app, identifiers })).value.id
      return await recordName(context, named, known)
    } catch (error) {
      const isOvertaken = error instanceof Failure && overtakenCodes.includes(error.code)
      if (!isOvertaken) throw error
      if (attempt < attemptsMax) continue
      const message = 'Others give these identifiers to a user at the same moment; try again.'
      throw new Failure('conflict', message, { retryAfterSeconds: 1 })
    }
  }
}

interface KnownUser {
  readonly userId: string
  /** The customer's name for a user without one: recorded before a session is started. */
  readonly newName?: Identifier
}

/**
 * The user with the customer's names; when nobody has these, the user with the other identifiers, if that user has no
 * name. Undefined when all are free. Throws `conflict` when they belong to different users, when nobody has some of
 * several names, and when the user has another name, or may have had one before an erasure.
 */
async function findKnownUser(
  context: UserCreationContext,
  app: AppRef,
  identifiers: readonly Identifier[],
): Promise<KnownUser | undefined> {
  const ownersOf = (some: readonly Identifier[]) =>
    Promise.all(some.map((one) => findIdentifierOwner(context, app, one)))
  const names = identifiers.filter(isName)
  const named = await ownersOf(names)
  const owner = requireSingleOwner(named)
  if (owner !== undefined) {
    if (named.includes(undefined)) throw differentUsersFailure()
    return { userId: owner }
  }
  const userId = requireSingleOwner(await ownersOf(identifiers.filter((one) => !isName(one))))
  const [newName, ...moreNames] = names
  if (userId === undefined || newName === undefined) return userId ? { userId } : undefined
  if (moreNames.length > 0 || (await mayHaveName(context, userId))) throw differentUsersFailure()
  return { userId, newName }
}

function isName({ type }: Identifier): boolean {
  return type === customerIdType
}

function differentUsersFailure(): Failure {
  return new Failure('conflict', 'The identifiers of the session belong to different users.')
}

/** The one there is, if any. */
function requireSingleOwner(owners: readonly (string | undefined)[]): string | undefined {
  const [one, ...others] = new Set(owners.filter((owner) => owner !== undefined))
  if (others.length > 0) throw differentUsersFailure()
  return one
}

async function mayHaveName(context: UserCreationContext, userId: string): Promise<boolean> {
  const { user } = (await context.users.catchUp(userStream(userId))).state
  if (user?.name_digest !== undefined) return true
  const identifiers = await readIdentifiers(context, userId)
  return identifiers === 'forgotten' || identifiers.some(isName)
}

/**
 * The user's id, once a new name is claimed and recorded; repeating it is no error. Throws `identifier_already_exists`
 * when another user has it, `conflict` when the user was given another one meanwhile or another request is about to
 * take it, `not_found` when the user is gone.
 */
async function recordName(
  context: UserCreationContext,
  { call, app: { account, appId } }: Named,
  { userId, newName }: KnownUser,
): Promise<string> {
  if (!newName) return userId
  const digest = identifierDigest(context, appId, newName)
  const intention = { account, operation: `users.name ${userId}`, input: digest }
  const eventContext = buildEventContext(context, call, intention)
  const claiming = { userId, appId, isName: true, eventContext }
  await claimIdentifiers(context, claiming, [digest])
  const named = findActiveUser(await nameUser(context, eventContext, { userId, digest }))
  if (named?.identifier_digests.includes(digest)) return userId
  await releaseIdentifiers(context, claiming, [digest])
  throw named ? new Failure('conflict', 'The user is called otherwise by now.') : notFound()
}
