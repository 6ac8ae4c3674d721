/** The user of a legacy session. */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import type { ApplicationPrincipal } from '../../domain/principal.ts'
import { standingUser, userStream } from '../../events/sessions/user.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { claimOf, identifierDigest } from './claimIdentifiers.ts'
import { readIdentifiers } from './readIdentifiers.ts'
import type { AppPlace } from './sessionsPart.ts'
import type { UsersPart } from './usersPart.ts'

/** What the customer calls a user: it says who that is, whatever else is said. */
const ownType = 'customer_user_id'
/** How often it is looked again when others have created the same user meanwhile. */
const attemptsMax = 3

interface Named {
  readonly call: Call<ApplicationPrincipal>
  readonly place: AppPlace
  /** At least one, in canonical form, each once. */
  readonly identifiers: readonly Identifier[]
}

/**
 * The id of the user who has the identifiers, of one who is created when nobody has any of them. Throws `conflict` when they belong to
 * different users, or to one whom the customer calls otherwise: a number that has gone from one person to another names both.
 */
export async function findMigratedUser(
  context: ServiceContext,
  create: UsersPart['users']['create'],
  { call, place, identifiers }: Named,
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const known = await knownUser(context, place, identifiers)
    if (known !== undefined) return known
    try {
      return (await create(call, place, { identifiers })).value.id
    } catch (error) {
      if (!isTaken(error)) throw error
      if (attempt >= attemptsMax) throw othersWereFaster()
    }
  }
}

function othersWereFaster(): Failure {
  const message = 'Others give these identifiers to a user at the same moment; try again.'
  return new Failure('conflict', message, { retryAfterSeconds: 1 })
}

function isTaken(error: unknown): boolean {
  return error instanceof Failure && ['identifier_already_exists', 'conflict'].includes(error.code)
}

async function knownUser(
  context: ServiceContext,
  place: AppPlace,
  identifiers: readonly Identifier[],
): Promise<string | undefined> {
  const owners = await Promise.all(identifiers.map((one) => ownerOf(context, place, one)))
  const named = owners.find((owner, index) => owner && isOwnName(identifiers[index]))
  if (named !== undefined) return named
  const [one, ...others] = new Set(owners.filter((owner) => owner !== undefined))
  if (one === undefined) return undefined
  const isAnothers = identifiers.some(isOwnName) && (await hasOwnName(context, one))
  if (others.length === 0 && !isAnothers) return one
  throw new Failure('conflict', 'The identifiers of the session belong to different users.')
}

function isOwnName(identifier: Identifier | undefined): boolean {
  return identifier?.type === ownType
}

async function hasOwnName(context: ServiceContext, userId: string): Promise<boolean> {
  return (await readIdentifiers(context, userId)).some(isOwnName)
}

async function ownerOf(
  context: ServiceContext,
  { account, appId }: AppPlace,
  identifier: Identifier,
): Promise<string | undefined> {
  const digest = identifierDigest(context, appId, identifier)
  const claim = await claimOf(context, digest)
  if (!claim) return undefined
  const { state } = await context.users.catchUp(userStream(claim.user))
  const user = standingUser(state)
  const isOwn = user?.app === appId && user.account === account
  return isOwn && user.identifier_digests.includes(digest) ? claim.user : undefined
}
