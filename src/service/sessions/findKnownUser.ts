/** Whom identifiers lead to. */

import { Failure } from '../../domain/failure.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import { userStream } from '../../events/sessions/user.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { ownerOf } from './ownerOf.ts'
import { readIdentifiers } from './readIdentifiers.ts'
import type { AppPlace } from './sessionsPart.ts'

/** What the customer calls a user: it says who that is, whatever else is said. */
const ownType = 'customer_user_id'

export interface KnownUser {
  readonly userId: string
  /** What the customer calls the user, who has no name yet: to be given before anything is opened. */
  readonly newName?: Identifier
}

/**
 * The user whom the customer's own names mean; where nobody has one, the user to whom the other identifiers lead, if that one has no name.
 * Undefined when nobody has any of them. Throws `conflict` when they belong to different users, when some of several names are nobody's,
 * and when the user is called otherwise, or was: of one whose identifiers were erased it is not known.
 */
export async function findKnownUser(
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
