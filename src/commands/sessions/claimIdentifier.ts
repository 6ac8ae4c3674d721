/** Claims identifiers for users, and lets go of them. */

import type { IdentifierClaim, IdentifierEvent } from '../../events/sessions/identifier.ts'

interface Claimant {
  readonly userId: string
  readonly appId: string
  /** Whether the user is there and is to be given it; else they are to be created with it. */
  readonly isName?: boolean
}

/**
 * The decision: nothing when the user has claimed it so already, and nothing when somebody else has, unless it is who is known to have it for
 * nothing (`vacant`), not being there or having others.
 */
export function claimIdentifier(
  { userId, appId, isName = false }: Claimant,
  { vacant, nowMs }: { readonly vacant: string | undefined; readonly nowMs: number },
) {
  return (claim: IdentifierClaim | undefined): readonly IdentifierEvent[] => {
    if (claim && claim.user !== vacant) return []
    if (claim && hasClaimed(claim, { userId, isName })) return []
    const data = { user_id: userId, app_id: appId, claimed_at: nowMs }
    return [{ type: isName ? 'NameClaimed' : 'IdentifierClaimed', data }]
  }
}

/** Whether it is the user's, and what is wanted of it is said in the claim. */
export function hasClaimed(
  claim: IdentifierClaim,
  { userId, isName = false }: Pick<Claimant, 'userId' | 'isName'>,
): boolean {
  return claim.user === userId && (claim.isName || !isName)
}

/** The decision: what is somebody else's by now stays so. */
export function releaseIdentifier({ userId, appId }: Claimant) {
  return (claim: IdentifierClaim | undefined): readonly IdentifierEvent[] =>
    claim?.user === userId
      ? [{ type: 'IdentifierReleased', data: { user_id: userId, app_id: appId } }]
      : []
}
