/** Claims identifiers for users, and lets go of them. */

import type { IdentifierClaim, IdentifierEvent } from '../../events/sessions/identifier.ts'

interface Claimant {
  readonly userId: string
  readonly appId: string
}

/**
 * The decision: nothing when the user has it already, and nothing when somebody else has, unless it is who is known to have it for nothing
 * (`vacant`), not being there or having others.
 */
export function claimIdentifier(
  { userId, appId }: Claimant,
  { vacant, nowMs }: { readonly vacant: string | undefined; readonly nowMs: number },
) {
  return (claim: IdentifierClaim | undefined): readonly IdentifierEvent[] => {
    if (claim && claim.user !== vacant) return []
    const data = { user_id: userId, app_id: appId, claimed_at: nowMs }
    return [{ type: 'IdentifierClaimed', data }]
  }
}

/** The decision: what is somebody else's by now stays so. */
export function releaseIdentifier({ userId, appId }: Claimant) {
  return (claim: IdentifierClaim | undefined): readonly IdentifierEvent[] =>
    claim?.user === userId
      ? [{ type: 'IdentifierReleased', data: { user_id: userId, app_id: appId } }]
      : []
}
