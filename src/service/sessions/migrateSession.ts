/** Legacy sessions become sessions: the customer says whose they are. */

import { nameUser } from '../../commands/sessions/createUser.ts'
import type { Call } from '../../domain/call.ts'
import { Failure, type FailureCode } from '../../domain/failure.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import type { ApplicationPrincipal, Principal } from '../../domain/principal.ts'
import { standingUser, userStream } from '../../events/sessions/user.ts'
import type { MigrationResult, SessionMeter } from '../../metrics/sessionMeter.ts'
import { carryOut, eventContextOf, type ServiceContext } from '../opening/serviceContext.ts'
import { type Asked, LeftAlone, type Validation } from './askValidation.ts'
import { notAuthenticated } from './authenticateUser.ts'
import { claimIdentifiers, identifierDigest, releaseIdentifiers } from './claimIdentifiers.ts'
import type { LegacyToken, MigrationPart } from './migrationPart.ts'
import { ownAppNow } from './ownAppNow.ts'
import { ownContext } from './ownContext.ts'
import { AllCrowded } from './questionPlaces.ts'
import type {
  AppPlace,
  StartedSession,
  UserPlace,
  UserSessionsPart,
  UsersPart,
} from './sessionsPart.ts'
import { ownerOf, ownType, readIdentifiers } from './userQueries.ts'

/** How often it is looked again when others have created, named or deleted the same user meanwhile. */
const attemptsMax = 3

interface MigrationOptions {
  readonly ask: (asked: Asked) => Promise<Validation>
  readonly create: UsersPart['users']['create']
  readonly start: UserSessionsPart['userSessions']['start']
  readonly meter: Pick<SessionMeter, 'migrated'>
}

export function openMigrateSession(
  context: ServiceContext,
  options: MigrationOptions,
): MigrationPart['migrateSession'] {
  const migrate = openMigration(context, options)
  return async (legacy) => {
    try {
      const started = await migrate(legacy)
      options.meter.migrated('migrated')
      return started
    } catch (error) {
      options.meter.migrated(resultOf(error))
      throw error
    }
  }
}

function openMigration(
  context: ServiceContext,
  { ask, create, start }: MigrationOptions,
): (legacy: LegacyToken) => Promise<StartedSession> {
  return async ({ app: { account, appId }, token, requestId, countryCode }) => {
    const place = { account, appId }
    const { migration } = await ownAppNow(context, place)
    if (!migration) throw notConfigured()
    const { session_validation_url: url } = migration
    const said = await ask({ ...place, requestId, url, token })
    if (!said.valid) throw notAuthenticated()
    const call: Call<ApplicationPrincipal> = {
      principal: { kind: 'application', accountId: account, appId },
      requestId,
    }
    const { identifiers } = said
    // the connection is of now, what the customer knows of before
    const device = countryCode ? { ...said.device, country_code: countryCode } : said.device
    const userId = await findMigratedUser(context, create, { call, place, identifiers })
    try {
      return (await start(call, { ...place, userId }, device)).value
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') throw userGone()
      throw error
    }
  }
}

/** Who tries again is asked about once more, and is somebody new when the customer still knows them. */
function userGone(): Failure {
  return new Failure('conflict', 'The user was deleted meanwhile; try again.', {
    retryAfterSeconds: 1,
  })
}

function notConfigured(): Failure {
  return new Failure('not_configured', 'The application takes no sessions of another system.')
}

function resultOf(error: unknown): MigrationResult {
  if (error instanceof LeftAlone) return 'paused'
  if (error instanceof AllCrowded) return 'crowded'
  return error instanceof Failure ? (results.get(error.code) ?? 'faulted') : 'faulted'
}

/** What is not here is nobody's fault but the service's own. */
const results = new Map<FailureCode, MigrationResult>([
  ['invalid_api_token', 'refused'],
  ['not_configured', 'unconfigured'],
  ['app_not_found', 'unconfigured'],
  ['session_validation_failed', 'failed'],
  ['conflict', 'conflict'],
  ['identifier_already_exists', 'conflict'],
  ['rate_limited', 'crowded'],
])

interface Named {
  readonly call: Call<ApplicationPrincipal>
  readonly place: AppPlace
  /** At least one, in canonical form, each once. */
  readonly identifiers: readonly Identifier[]
}

/**
 * The id of the user who has the identifiers, of one who is created when nobody has any of them. A user without a name is given the one
 * that the customer says, so that a number which goes from one person to another opens nothing of whoever had it before. Throws `conflict`
 * when the identifiers belong to different users, or to one whom the customer calls otherwise, or may.
 */
export async function findMigratedUser(
  context: ServiceContext,
  create: UsersPart['users']['create'],
  named: Named,
): Promise<string> {
  const { call, place, identifiers } = named
  for (let attempt = 1; ; attempt += 1) {
    const known = await findKnownUser(context, place, identifiers)
    try {
      if (known) return await withName(context, named, known)
      return (await create(call, place, { identifiers })).value.id
    } catch (error) {
      if (!isOvertaken(error)) throw error
      if (attempt >= attemptsMax) throw othersWereFaster()
    }
  }
}

async function withName(
  context: ServiceContext,
  { call, place }: Named,
  { userId, newName: name }: KnownUser,
): Promise<string> {
  if (name) await giveName(context, { call, place: { ...place, userId }, name })
  return userId
}

function othersWereFaster(): Failure {
  const message = 'Others give these identifiers to a user at the same moment; try again.'
  return new Failure('conflict', message, { retryAfterSeconds: 1 })
}

function isOvertaken(error: unknown): boolean {
  const codes = ['identifier_already_exists', 'conflict', 'not_found']
  return error instanceof Failure && codes.includes(error.code)
}

interface KnownUser {
  readonly userId: string
  /** What the customer calls the user, who has no name yet: to be given before anything is opened. */
  readonly newName?: Identifier
}

/**
 * The user whom the customer's own names mean; where nobody has one, the user to whom the other identifiers lead, if that one has no name.
 * Undefined when nobody has any of them. Throws `conflict` when they belong to different users, when some of several names are nobody's,
 * and when the user is called otherwise, or was: of one whose identifiers were erased it is not known.
 */
async function findKnownUser(
  context: ServiceContext,
  place: AppPlace,
  identifiers: readonly Identifier[],
): Promise<KnownUser | undefined> {
  const names = identifiers.filter(isName)
  const named = await ownersOf(context, place, names)
  const owner = single(named)
  if (owner !== undefined) {
    if (named.includes(undefined)) throw differentUsers()
    return { userId: owner }
  }
  const others = identifiers.filter((one) => !isName(one))
  const userId = single(await ownersOf(context, place, others))
  const [newName, ...moreNames] = names
  if (userId === undefined || newName === undefined) return userId ? { userId } : undefined
  if (moreNames.length > 0 || (await mayHaveName(context, userId))) throw differentUsers()
  return { userId, newName }
}

function isName({ type }: Identifier): boolean {
  return type === ownType
}

function differentUsers(): Failure {
  return new Failure('conflict', 'The identifiers of the session belong to different users.')
}

/** The one there is, if any. */
function single(owners: readonly (string | undefined)[]): string | undefined {
  const [one, ...others] = new Set(owners.filter((owner) => owner !== undefined))
  if (others.length > 0) throw differentUsers()
  return one
}

async function mayHaveName(context: ServiceContext, userId: string): Promise<boolean> {
  const { user } = (await context.users.catchUp(userStream(userId))).state
  if (user?.name_digest !== undefined) return true
  const identifiers = await readIdentifiers(context, userId)
  return identifiers === 'forgotten' || identifiers.some(isName)
}

function ownersOf(
  context: ServiceContext,
  place: AppPlace,
  identifiers: readonly Identifier[],
): Promise<readonly (string | undefined)[]> {
  return Promise.all(identifiers.map((one) => ownerOf(context, place, one)))
}

interface Naming {
  readonly call: Call<Principal>
  readonly place: UserPlace
  /** In canonical form; of the type by which the customer calls users. */
  readonly name: Identifier
}

/**
 * Claims the name and records it; again is no error. Throws `identifier_already_exists` when another user has it, `conflict` when the user
 * was given another one meanwhile or another request is about to take it, `not_found` when the user is gone.
 */
async function giveName(context: ServiceContext, { call, place, name }: Naming): Promise<void> {
  const { account, appId, userId } = place
  const digest = identifierDigest(context, appId, name)
  const intention = { account, operation: `users.name ${userId}`, input: digest }
  const eventContext = eventContextOf(context, call, intention)
  const claiming = { userId, appId, isName: true, eventContext }
  await claimIdentifiers(context, claiming, [digest])
  try {
    await carryOut(context, context.users, {
      stream: userStream(userId),
      context: ownContext(context, eventContext),
      decide: nameUser(userId, { appId, account }, { digest, nowMs: eventContext.time }),
    })
  } catch (error) {
    if (await isForNothing(context, userId, digest)) {
      await releaseIdentifiers(context, claiming, [digest])
    }
    throw error
  }
}

/** Whether the user will never have the name: they are gone, or have another one. Else another request may be giving it to them. */
async function isForNothing(
  { users }: ServiceContext,
  userId: string,
  digest: string,
): Promise<boolean> {
  const user = standingUser((await users.catchUp(userStream(userId))).state)
  return !user || (user.name_digest !== undefined && user.name_digest !== digest)
}
