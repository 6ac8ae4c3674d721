/** The users of an application as its account sees them. */

import { invalidRequest, mustExist } from '../../domain/failure.ts'
import {
  canonicalIdentifier,
  expectedIdentifier,
  type Identifier,
} from '../../domain/identifiers.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import { standingUser, userStream } from '../../events/sessions/user.ts'
import { recordedUser, type UserDocument } from '../../projections/sessions/users.ts'
import { reached } from '../../queries/reading/reached.ts'
import { findUser } from '../../queries/sessions/users.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { assertKnownApp } from './appQueries.ts'
import { claimOf, identifierDigest } from './claimIdentifiers.ts'
import type { AppPlace, UserPlace, UsersPart, UserView } from './sessionsPart.ts'

type Users = UsersPart['users']

/** The questions about users. */
export function openUserQueries(context: ServiceContext): Pick<Users, 'list' | 'get'> {
  return {
    list: async ({ principal }, place, { minPosition, identifier, ...page }) => {
      const position = await reached(context, minPosition)
      await assertKnownApp(context, place)
      if (identifier)
        return { value: { items: await withIdentifier(context, place, identifier) }, position }
      const { account, appId: app } = place
      const found = await context.heavyReads.ask(principal, 'listUsers', { account, app, ...page })
      return { value: { ...found, items: await openUsers(context, found.items) }, position }
    },
    get: async (place, { minPosition }) => {
      const position = await reached(context, minPosition)
      await assertKnownApp(context, place)
      return { value: mustExist(await userOf(context, place)), position }
    },
  }
}

async function userOf(
  context: ServiceContext,
  { account, appId: app, userId: id }: UserPlace,
): Promise<UserView | undefined> {
  const found = await findUser(context, { account, app, id })
  if (!found) return undefined
  const [user] = await openUsers(context, [found])
  return user
}

/** The one user who has it, or nobody. Throws `invalid_request` for what is none. */
async function withIdentifier(
  context: ServiceContext,
  place: AppPlace,
  identifier: Identifier,
): Promise<readonly UserView[]> {
  const canonical = canonicalIdentifier(identifier)
  if (!canonical) {
    const message = `Must be ${expectedIdentifier(identifier.type)}.`
    throw invalidRequest([{ path: 'value', message }])
  }
  const userId = await ownerOf(context, place, canonical)
  const user = userId && (await userOf(context, { ...place, userId }))
  return user ? [user] : []
}

interface Shown {
  readonly identifiers: readonly Identifier[]
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number
}

/** The user of this id. */
export function userView(id: string, { identifiers, created_at }: Shown): UserView {
  return { id, identifiers, created_at: isoTime(created_at) }
}

interface Found {
  readonly id: string
  readonly body: UserDocument
}

/** In the same order, all keys asked for at once. Throws `unavailable` where a key is lost. */
async function openUsers(
  { keyring }: Pick<ServiceContext, 'keyring'>,
  found: readonly Found[],
): Promise<readonly UserView[]> {
  const recorded = found.map(({ body }) => recordedUser(body))
  const keys = await keyring.keys([...new Set(recorded.flatMap(sealedUnder))])
  return recorded.map((one) => {
    const { user_id, identifiers, created_at } = openPersonal(one, keys).event.data
    const shown = isForgotten(identifiers) ? [] : (identifiers as readonly Identifier[])
    return userView(user_id, { identifiers: shown, created_at })
  })
}

/** The id of the user of the application who has it, in canonical form; undefined for one that is only claimed for somebody. */
export async function ownerOf(
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
