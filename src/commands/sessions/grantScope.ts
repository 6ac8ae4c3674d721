/** Grants a scope to the sessions of a user, for one use. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { notFound } from '../../domain/failure.ts'
import {
  closedObject,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import type { Principal } from '../../domain/principal.ts'
import { withIsoTimes } from '../../domain/text/isoTime.ts'
import { isActiveSession, sessionStream } from '../../events/sessions/session.ts'
import { type UserEvent, type UserStreamState, userStream } from '../../events/sessions/user.ts'
import { requireActiveApp } from '../../state/sessions/findApp.ts'
import { requireOwnUser, requireOwnUserInStream } from '../../state/sessions/findUser.ts'
import type { UserRef } from '../../state/sessions/sessionStreamTypes.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'
import type { SessionsContext } from './sessionsContext.ts'

/** The lifetime of a grant when none is given. */
export const grantSeconds = 300

export const scopeNameSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: '^[!#-\\[\\]-~]+$',
  description: 'Such as `prld:pwd:write`, to change the password once.',
} as const

export const scopeInputSchema = closedObject('ScopeInput', {
  scope: scopeNameSchema,
  session_id: optional({
    type: 'string',
    pattern: '^ses_[0-7][0-9a-hjkmnp-tv-z]{25}$',
    description: 'The session it is for; any of the user’s when omitted.',
  }),
  seconds: optional({
    type: 'integer',
    minimum: 30,
    maximum: 900,
    default: grantSeconds,
    description: 'Seconds until the grant expires.',
  }),
})
type ScopeInput = TypeOf<typeof scopeInputSchema>

export const scopeGrantSchema = openObject('ScopeGrant', {
  scope: text,
  session_id: optional(text),
  granted_at: timeSchema,
  expires_at: timeSchema,
})
export type ScopeView = TypeOf<typeof scopeGrantSchema>

/** The next access token has the scope. Throws `app_not_found`, `not_found` for a session over or another user's. */
export async function grantScope(
  context: WriteContext & Pick<SessionsContext, 'apps' | 'users' | 'sessions'>,
  call: Call<Principal>,
  { user, input }: { readonly user: UserRef; readonly input: ScopeInput },
): Promise<WriteResult<ScopeView>> {
  await requireActiveApp(context, user)
  await requireOwnUser(context, user)
  const { account, userId } = user
  const { scope, session_id: sessionId, seconds = grantSeconds } = input
  if (sessionId !== undefined) await assertActive(context, userId, sessionId)
  const intention = { account, operation: `scopes.grant ${userId}`, input }
  const eventContext = buildEventContext(context, call, intention)
  const { command: grantId } = eventContext
  const lifetimeMs = seconds * 1_000
  const granting = { user, grants: [{ grantId, scope }], sessionId, lifetimeMs }
  const written = await executeAndWait(context, context.users, {
    stream: userStream(userId),
    context: eventContext,
    decide: (state, nowMs) => decideGrants(state, granting, nowMs),
  })
  const [granted] = written.value.events
  if (granted?.type !== 'ScopeGranted') throw new Error('a scope was not granted')
  const { user_id: _, grant_id: __, ...shown } = granted.data
  return { ...written, value: withIsoTimes(shown, ['granted_at', 'expires_at']) }
}

/** Throws `not_found` for a session that is not the user's, or is over. */
async function assertActive(
  { sessions, users, clock }: Pick<SessionsContext, 'users' | 'sessions' | 'clock'>,
  userId: string,
  id: string,
): Promise<void> {
  const { state } = await sessions.catchUp(sessionStream(id))
  const { state: user } = await users.getFolded(userStream(userId))
  const isActive = state && isActiveSession({ id, state }, user, clock.nowMs())
  if (state?.user !== userId || !isActive) throw notFound()
}

interface NewGrants {
  readonly user: UserRef
  readonly grants: readonly { readonly grantId: string; readonly scope: string }[]
  /** The one session that they are for; any of the user's unless given. */
  readonly sessionId: string | undefined
  readonly lifetimeMs: number
}

/** A grant that is there already is not given again. Throws `not_found`. */
export function decideGrants(
  state: UserStreamState,
  { user, grants, sessionId, lifetimeMs }: NewGrants,
  nowMs: number,
): readonly UserEvent[] {
  const known = new Set(requireOwnUserInStream(state, user).grants.map(({ grant_id }) => grant_id))
  return grants
    .filter(({ grantId }) => !known.has(grantId))
    .map(({ grantId, scope }) => ({
      type: 'ScopeGranted',
      data: {
        user_id: user.userId,
        grant_id: grantId,
        scope,
        ...(sessionId !== undefined && { session_id: sessionId }),
        granted_at: nowMs,
        expires_at: nowMs + lifetimeMs,
      },
    }))
}
