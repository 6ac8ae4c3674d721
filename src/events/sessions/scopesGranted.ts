/** Which scopes an access token carries. */

import type { UserState } from './user.ts'

/** Those that the session may use now, each once, in the order of the alphabet. */
export function scopesGranted(
  { grants }: Pick<UserState, 'grants'>,
  sessionId: string,
  nowMs: number,
): readonly string[] {
  const usable = grants.filter(
    ({ session_id: only, expires_at }) =>
      expires_at > nowMs && (only === undefined || only === sessionId),
  )
  return [...new Set(usable.map(({ scope }) => scope))].sort()
}
