/** The user of a legacy session. */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import type { ApplicationPrincipal } from '../../domain/principal.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { findKnownUser, type KnownUser } from './findKnownUser.ts'
import { giveName } from './giveName.ts'
import type { AppPlace } from './sessionsPart.ts'
import type { UsersPart } from './usersPart.ts'

/** How often it is looked again when others have created, named or deleted the same user meanwhile. */
const attemptsMax = 3

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
