/** Grants scopes to the sessions of a user, each for one use. */

import type { UserEvent, UserStream } from '../../events/sessions/user.ts'
import { ownUser } from './createUser.ts'

interface NewGrants {
  readonly userId: string
  readonly place: { readonly appId: string; readonly account: string }
  readonly grants: readonly { readonly grantId: string; readonly scope: string }[]
  /** The one session that they are for; any of the user's unless given. */
  readonly sessionId: string | undefined
  readonly lifetimeMs: number
}

/** The decision: a grant that is there already is not given again. Throws `not_found`. */
export function grantScopes(
  { userId, place, grants, sessionId, lifetimeMs }: NewGrants,
  nowMs: number,
) {
  return (stream: UserStream): readonly UserEvent[] => {
    const known = new Set(ownUser(stream, place).grants.map(({ grant_id }) => grant_id))
    return grants
      .filter(({ grantId }) => !known.has(grantId))
      .map(({ grantId, scope }) => ({
        type: 'ScopeGranted',
        data: {
          user_id: userId,
          grant_id: grantId,
          scope,
          ...(sessionId !== undefined && { session_id: sessionId }),
          granted_at: nowMs,
          expires_at: nowMs + lifetimeMs,
        },
      }))
  }
}
