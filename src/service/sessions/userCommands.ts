/** Creates users and deletes them. */

import { createUser, deleteUser } from '../../commands/sessions/createUser.ts'
import type { Call, Written } from '../../domain/call.ts'
import { Failure, type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import {
  canonicalIdentifier,
  expectedIdentifier,
  type Identifier,
} from '../../domain/identifiers.ts'
import { derivedId } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  passwordSubject,
  type UserState,
  userStream,
  userSubject,
} from '../../events/sessions/user.ts'
import { eraseOnce } from '../opening/eraseSubject.ts'
import { eventContextOf, type ServiceContext, write } from '../opening/serviceContext.ts'
import { claimIdentifiers, identifierDigest, releaseIdentifiers } from './claimIdentifiers.ts'
import { assertOwnApp, ownAppNow } from './ownAppNow.ts'
import type { AppPlace, UserInput, UsersPart, UserView } from './sessionsPart.ts'
import { userView } from './userQueries.ts'

type Users = UsersPart['users']

/** How often a creation is tried again that another request has abandoned meanwhile. */
const attemptsMax = 3

/** The commands on users. */
export function openUserCommands(context: ServiceContext): Pick<Users, 'create' | 'remove'> {
  return {
    create: (call, place, input) => create(context, { call, place }, input),
    remove: openRemove(context),
  }
}

interface Asked<Place> {
  readonly call: Call<Principal>
  readonly place: Place
}

async function create(
  context: ServiceContext,
  { call, place }: Asked<AppPlace>,
  { identifiers: given }: UserInput,
): Promise<Written<UserView>> {
  const { account, appId } = place
  const identifiers = canonicalIdentifiers(given)
  await ownAppNow(context, place)
  const operation = `users.create ${appId}`
  const intention = { account, operation, input: identifiers, ownStream: true }
  const eventContext = eventContextOf(context, call, intention)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await createOnce(context, { appId, identifiers, eventContext })
    } catch (error) {
      const isAbandoned = error instanceof Failure && error.code === 'conflict'
      if (!isAbandoned || attempt >= attemptsMax) throw error
    }
  }
}

interface Creation {
  readonly appId: string
  readonly identifiers: readonly Identifier[]
  readonly eventContext: EventContext
}

async function createOnce(
  context: ServiceContext,
  { appId, identifiers, eventContext }: Creation,
): Promise<Written<UserView>> {
  const { account, command, time } = eventContext
  const userId = derivedId('usr', command, 'user')
  const stream = userStream(userId)
  const digests = identifiers.map((identifier) => identifierDigest(context, appId, identifier))
  const { user, abandoned } = (await context.users.catchUp(stream)).state
  const claiming = { userId, appId, eventContext, isAnew: abandoned > 0 }
  if (!user) await claimIdentifiers(context, claiming, digests)
  const written = await write(context, context.users, {
    stream,
    context: eventContext,
    decide: createUser({ userId, appId, account, identifiers, digests, abandoned }, time),
  })
  const { created_at = time } = written.value.state.user ?? {}
  return { ...written, value: userView(userId, { identifiers, created_at }) }
}

/** In canonical form, each once. Throws `invalid_request` naming each that is none. */
function canonicalIdentifiers(given: readonly Identifier[]): readonly Identifier[] {
  const details: FailureDetail[] = []
  const found = new Map<string, Identifier>()
  for (const [index, identifier] of given.entries()) {
    const canonical = canonicalIdentifier(identifier)
    const path = `identifiers.${index}`
    if (!canonical) {
      const message = `Must be ${expectedIdentifier(identifier.type)}.`
      details.push({ path: `${path}.value`, message })
      continue
    }
    const key = `${canonical.type} ${canonical.value}`
    if (found.has(key)) details.push({ path, message: 'Stands in the list already.' })
    found.set(key, canonical)
  }
  if (details.length > 0) throw invalidRequest(details)
  return [...found.values()]
}

function openRemove(context: ServiceContext): Users['remove'] {
  return async (call, { account, appId, userId }) => {
    await assertOwnApp(context, { account, appId })
    const intention = { account, operation: `users.delete ${userId}`, input: null }
    const eventContext = eventContextOf(context, call, intention)
    const written = await write(context, context.users, {
      stream: userStream(userId),
      context: eventContext,
      decide: (stream) => deleteUser(userId, { appId, account }, eventContext.time)(stream),
    })
    const { user } = written.value.state
    if (!user) throw new Error('a user was deleted who is not there')
    // done again when the request is: what ended in between is finished
    for (const subject of subjectsOf(context, userId, user)) {
      await eraseOnce(context, call, { account, subject })
    }
    await releaseIdentifiers(context, { userId, appId, eventContext }, user.identifier_digests)
    return { ...written, value: undefined }
  }
}

/** The subjects that are erased with a user: their own, and that of their password. */
export function subjectsOf(
  { keyring }: Pick<ServiceContext, 'keyring'>,
  userId: string,
  { account, password }: UserState,
): readonly string[] {
  const subjects = [
    userSubject(userId),
    ...(password ? [passwordSubject(userId, password.password_id)] : []),
  ]
  return subjects.map(({ kind, value }) => keyring.subject(account, kind, value))
}
