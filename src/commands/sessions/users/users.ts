/** Creates users of applications, and deletes them with their data and identifiers. */

import type { Call, WriteResult } from '../../../domain/call.ts'
import { Failure, type FailureDetail, invalidRequest, notFound } from '../../../domain/failure.ts'
import { deriveId } from '../../../domain/ids.ts'
import { closedObject, type TypeOf } from '../../../domain/jsonSchema.ts'
import type { Principal } from '../../../domain/principal.ts'
import {
  describeIdentifierRefusal,
  type Identifier,
  identifierInputSchema,
  identifiersMax,
  normalizeIdentifier,
  unifyIdentifier,
} from '../../../domain/sessions/userIdentifiers.ts'
import type { EventContext } from '../../../events/recording/event.ts'
import {
  passwordSubject,
  type UserEvent,
  userStream,
  userSubject,
} from '../../../events/sessions/user.ts'
import { requireActiveApp, requireActiveOrRetiredApp } from '../../../state/sessions/findApp.ts'
import { identifierDigest } from '../../../state/sessions/findUser.ts'
import type { AppRef, UserRef } from '../../../state/sessions/sessionStreamTypes.ts'
import { buildUserView, type UserView } from '../../../state/sessions/views.ts'
import type { ErasureContext, WriteContext } from '../../handling/commandContext.ts'
import { eraseSubjects } from '../../handling/eraseSubject.ts'
import { buildEventContext, executeAndWait } from '../../handling/executeCommand.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import { claimConflict, claimIdentifiers, releaseIdentifiers } from './claimIdentifiers.ts'

/** How often a creation is tried again that another request has abandoned meanwhile. */
const attemptsMax = 3

export const userInputSchema = closedObject('UserInput', {
  identifiers: {
    type: 'array',
    minItems: 1,
    maxItems: identifiersMax,
    items: identifierInputSchema,
    description: 'Identifiers of the user; each is unique within the application.',
  },
})
type UserInput = TypeOf<typeof userInputSchema>

export type UserCreationContext = WriteContext &
  Pick<SessionsContext, 'apps' | 'users' | 'identifiers'>

/**
 * Throws `app_not_found`, `identifier_already_exists` when another user of the application has one of the identifiers,
 * `invalid_request` for an invalid identifier, and `conflict` when another request is about to take one of them.
 */
export async function createUser(
  context: UserCreationContext,
  call: Call<Principal>,
  { app, identifiers: given }: UserInput & { readonly app: AppRef },
): Promise<WriteResult<UserView>> {
  const { account, appId } = app
  const identifiers = normalizeIdentifiers(given)
  await requireActiveApp(context, app)
  const operation = `users.create ${appId}`
  const intention = { account, operation, input: identifiers, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryCreateUser(context, eventContext, { appId, identifiers })
    } catch (error) {
      const isAbandoned = error instanceof Failure && error.code === 'conflict'
      if (!isAbandoned || attempt >= attemptsMax) throw error
    }
  }
}

async function tryCreateUser(
  context: UserCreationContext,
  eventContext: EventContext,
  { appId, identifiers }: UserInput & Pick<AppRef, 'appId'>,
): Promise<WriteResult<UserView>> {
  const { account, command, time } = eventContext
  const userId = deriveId('usr', command, 'user')
  const stream = userStream(userId)
  const digests = identifiers.map((identifier) => identifierDigest(context, appId, identifier))
  const { user, abandoned } = (await context.users.catchUp(stream)).state
  const claiming = { userId, appId, eventContext, wasAbandoned: abandoned > 0 }
  if (!user) await claimIdentifiers(context, claiming, digests)
  const written = await executeAndWait(context, context.users, {
    stream,
    context: eventContext,
    decide: (state, nowMs): readonly UserEvent[] => {
      // another user may have the identifiers by now: they have to be claimed again
      if (state.user || state.abandoned !== abandoned) throw claimConflict()
      const data = {
        user_id: userId,
        app_id: appId,
        account_id: account,
        identifiers,
        identifier_digests: digests,
        created_at: nowMs,
      }
      return [{ type: 'UserCreated', data }]
    },
  })
  const { created_at = time } = written.value.state.user ?? {}
  return { ...written, value: buildUserView(userId, { identifiers, created_at }) }
}

/** In canonical form, each once. Throws `invalid_request` naming each that is none. */
function normalizeIdentifiers(given: readonly Identifier[]): readonly Identifier[] {
  const details: FailureDetail[] = []
  const found = new Map<string, Identifier>()
  for (const [index, identifier] of given.entries()) {
    const canonical = normalizeIdentifier(identifier)
    const path = `identifiers.${index}`
    if (!canonical) {
      const message = describeIdentifierRefusal(identifier)
      details.push({ path: `${path}.value`, message })
      continue
    }
    const key = `${canonical.type} ${unifyIdentifier(canonical).value}`
    if (found.has(key)) details.push({ path, message: 'Stands in the list already.' })
    found.set(key, canonical)
  }
  if (details.length > 0) throw invalidRequest(details)
  return [...found.values()]
}

type DeletionContext = ErasureContext & Pick<SessionsContext, 'apps' | 'users' | 'identifiers'>

/**
 * Each step is done again when the request is: what ended in between is finished. Answers the subjects that were
 * erased: the user's own, and that of their password. Throws `app_not_found`, `not_found`.
 */
export async function deleteUser(
  context: DeletionContext,
  call: Call<Principal>,
  ref: UserRef,
): Promise<WriteResult<readonly string[]>> {
  const { account, appId, userId } = ref
  await requireActiveOrRetiredApp(context, ref)

  // 1. Record that they are deleted: nothing more is sealed for them.
  const intention = { account, operation: `users.delete ${userId}`, input: null }
  const eventContext = buildEventContext(context, call, intention)
  const written = await executeAndWait(context, context.users, {
    stream: userStream(userId),
    context: eventContext,
    decide: ({ user }, nowMs): readonly UserEvent[] => {
      if (user?.app !== appId || user.account !== account) throw notFound()
      if (user.deleted_at !== undefined) return []
      return [{ type: 'UserDeleted', data: { user_id: userId, deleted_at: nowMs } }]
    },
  })
  const { user } = written.value.state
  if (!user) throw new Error('a user was deleted who is not there')

  // 2. Destroy the keys of what is sealed for them.
  const { password } = user
  const subjects = [
    userSubject(userId),
    ...(password ? [passwordSubject(userId, password.password_id)] : []),
  ].map(({ kind, value }) => context.keyring.subject(account, kind, value))
  await eraseSubjects(context, call, { account, subjects })

  // 3. Release their identifiers.
  await releaseIdentifiers(context, { userId, appId, eventContext }, user.identifier_digests)
  return { ...written, value: subjects }
}

/**
 * Destroys the keys of a deleted user. For commands that sealed data of the user and then find them deleted: the
 * deletion may have listed the keys before. Throws like `eraseSubjects`.
 */
export async function eraseDeletedUser(
  context: ErasureContext,
  call: Call<Principal>,
  { account, userId }: Pick<UserRef, 'account' | 'userId'>,
): Promise<void> {
  const { kind, value } = userSubject(userId)
  const subject = context.keyring.subject(account, kind, value)
  await eraseSubjects(context, call, { account, subjects: [subject] })
}
