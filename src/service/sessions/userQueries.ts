/** The users of an application as its account sees them. */

import { invalidRequest, mustExist } from '../../domain/failure.ts'
import {
  canonicalIdentifier,
  expectedIdentifier,
  type Identifier,
} from '../../domain/identifiers.ts'
import { findUser } from '../../queries/sessions/users.ts'
import { reached } from '../opening/reached.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { assertKnownApp } from './appQueries.ts'
import { ownerOf } from './ownerOf.ts'
import type { AppPlace } from './sessionsPart.ts'
import type { UserPlace, UsersPart, UserView } from './usersPart.ts'
import { openUsers } from './userViews.ts'

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
