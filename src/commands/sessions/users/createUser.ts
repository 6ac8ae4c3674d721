/** Creates users of applications: claims their identifiers first, then records them. */

import type { Call, Written } from '../../../domain/call.ts'
import { Failure, type FailureDetail, invalidRequest } from '../../../domain/failure.ts'
import { derivedId } from '../../../domain/ids.ts'
import type { Principal } from '../../../domain/principal.ts'
import { closedObject, type TypeOf } from '../../../domain/schema.ts'
import {
  canonicalIdentifier,
  expectedIdentifier,
  type Identifier,
  identifierInputSchema,
  identifiersMax,
} from '../../../domain/sessions/identifiers.ts'
import type { EventContext } from '../../../events/recording/event.ts'
import { type UserEvent, userStream } from '../../../events/sessions/user.ts'
import type { Writing } from '../../handling/context.ts'
import { eventContextOf, write } from '../../handling/write.ts'
import { findOwnApp } from '../apps/ownApp.ts'
import type { AppRef, SessionsContext } from '../sessionsContext.ts'
import { type UserView, userView } from '../views.ts'
import { claimIdentifiers, creationOverlaps, identifierDigest } from './claimIdentifiers.ts'

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

export type Creating = Writing & Pick<SessionsContext, 'apps' | 'users' | 'identifiers'>

/**
 * Throws `app_not_found`, `identifier_already_exists` when another user of the application has one of the identifiers, `invalid_request`
 * for an invalid identifier, and `conflict` when another request is about to take one of them.
 */
export async function createUser(
  context: Creating,
  call: Call<Principal>,
  { app, identifiers: given }: UserInput & { readonly app: AppRef },
): Promise<Written<UserView>> {
  const { account, appId } = app
  const identifiers = canonicalIdentifiers(given)
  await findOwnApp(context, app)
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
  context: Creating,
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
    decide: (state, nowMs): readonly UserEvent[] => {
      // another user may have the identifiers by now: they have to be claimed again
      if (state.user || state.abandoned !== abandoned) throw creationOverlaps()
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
