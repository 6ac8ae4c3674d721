/** Finds and lists the users of an application, and lists keys of replaced passwords. */

import type { Call, Page, PageRequest } from '../../domain/call.ts'
import { invalidRequest, requireExisting } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import {
  describeIdentifierRefusal,
  type Identifier,
  normalizeStoredIdentifier,
} from '../../domain/sessions/userIdentifiers.ts'
import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import {
  type FoundDocument,
  getDocument,
  type Readers,
} from '../../projections/running/documents.ts'
import {
  type UserDocument,
  userCollection,
  userCreatedEvent,
} from '../../projections/sessions/users.ts'
import { findIdentifierOwner } from '../../state/sessions/findUser.ts'
import type { AppRef, UserRef } from '../../state/sessions/sessionStreamTypes.ts'
import { buildUserView, type UserView } from '../../state/sessions/views.ts'
import { findPageByCreation } from '../reading/page.ts'
import type { HeavyContext } from '../reading/queryContext.ts'
import { assertKnownApp } from './apps.ts'
import type { SessionsQueryContext } from './servedApps.ts'

type UsersContext = Pick<
  SessionsQueryContext,
  'documents' | 'projections' | 'keyring' | 'identifiers' | 'users'
>

/** Users of an application: all of them, or the one with an identifier. */
export interface UserListQuery extends PageRequest {
  readonly identifier?: Identifier
}

/**
 * In the order in which they were created, those of an application that is retired too. Throws `app_not_found`, and
 * `invalid_request` for what is no cursor, or no identifier.
 */
export async function listUsers(
  context: UsersContext & HeavyContext<{ listUserDocuments: typeof listUserDocuments }>,
  { principal }: Call<Principal>,
  { app: ref, asked }: { readonly app: AppRef; readonly asked: UserListQuery },
): Promise<Page<UserView>> {
  const { identifier, ...page } = asked
  await assertKnownApp(context, ref)
  if (identifier) return { items: await findUsersByIdentifier(context, ref, identifier) }
  const { account, appId: app } = ref
  const users = { account, app, ...page }
  const found = await context.heavyQueries.listUserDocuments(principal, users)
  return { ...found, items: await decryptUsers(context, found.items) }
}

/** Throws `app_not_found`, `not_found`. */
export async function requireUser(context: UsersContext, user: UserRef): Promise<UserView> {
  await assertKnownApp(context, user)
  return requireExisting(await findUserView(context, user))
}

/** In the order in which they were created. Throws `invalid_request` for an invalid cursor. */
export function listUserDocuments(
  readers: Readers,
  { account, app, ...asked }: PageRequest & { readonly account: string; readonly app: string },
): Promise<Page<FoundDocument<UserDocument>>> {
  return findPageByCreation(readers, userCollection, { where: { account, app }, ...asked })
}

async function findUserView(
  context: UsersContext,
  { account, appId, userId }: UserRef,
): Promise<UserView | undefined> {
  const found = await getDocument(context, userCollection, userId)
  if (found?.body.account !== account || found.body.app !== appId) return undefined
  const [user] = await decryptUsers(context, [found])
  return user
}

/** The one user who has it, or none. Throws `invalid_request` for what is none. */
async function findUsersByIdentifier(
  context: UsersContext,
  app: AppRef,
  identifier: Identifier,
): Promise<readonly UserView[]> {
  const canonical = normalizeStoredIdentifier(identifier)
  if (!canonical) {
    const message = describeIdentifierRefusal(identifier)
    throw invalidRequest([{ path: 'value', message }])
  }
  const userId = await findIdentifierOwner(context, app, canonical)
  const user = userId && (await findUserView(context, { ...app, userId }))
  return user ? [user] : []
}

/** In the same order, with one read of all keys. Throws `unavailable` where a key is lost. */
async function decryptUsers(
  { keyring }: Pick<SessionsQueryContext, 'keyring'>,
  found: readonly FoundDocument<UserDocument>[],
): Promise<readonly UserView[]> {
  const recorded = found.map(({ body }) => userCreatedEvent(body))
  const keys = await keyring.keys([...new Set(recorded.flatMap(sealedUnder))])
  return recorded.map((one) => {
    const { user_id, identifiers, created_at } = openPersonal(one, keys).event.data
    const shown = isForgotten(identifiers) ? [] : (identifiers as readonly Identifier[])
    return buildUserView(user_id, { identifiers: shown, created_at })
  })
}
