/** Claims identifiers for users, and lets go of them. */

import type {
  IdentifierClaim,
  IdentifierEvent,
  IdentifierStream,
} from '../../events/sessions/identifier.ts'

interface Claimant {
  readonly userId: string
  readonly appId: string
  /** Whether the user is there and is to be given it; else they are to be created with it. */
  readonly isName?: boolean
}

/**
 * The decision: nothing when somebody has it, unless that is the very claim that may be replaced (`seen`): the user's own, or one that is for
 * nothing. A later claim of the same user is another one, of which it is not known.
 */
export function claimIdentifier(
  { userId, appId, isName = false }: Claimant,
  { seen, nowMs }: { readonly seen: IdentifierClaim | undefined; readonly nowMs: number },
) {
  return ({ claim }: IdentifierStream): readonly IdentifierEvent[] => {
    if (claim && claim.revision !== seen?.revision) return []
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

/** The decision: what is somebody else's by now stays so, and so does a later claim of the user than the one that was seen, if one is given. */
export function releaseIdentifier({ userId, appId }: Claimant, seen?: IdentifierClaim) {
  return ({ claim }: IdentifierStream): readonly IdentifierEvent[] => {
    if (claim?.user !== userId) return []
    if (seen && claim.revision !== seen.revision) return []
    return [{ type: 'IdentifierReleased', data: { user_id: userId, app_id: appId } }]
  }
}
