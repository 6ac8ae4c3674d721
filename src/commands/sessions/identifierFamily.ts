/** How the events of an identifier add up in memory. */

import {
  evolveIdentifier,
  type IdentifierClaim,
  type IdentifierEvent,
} from '../../events/sessions/identifier.ts'
import type { Family } from '../handling/family.ts'

export const identifierFamily: Family<IdentifierClaim | undefined, IdentifierEvent> = {
  initial: () => undefined,
  evolve: evolveIdentifier,
  weigh: (claim) => (claim ? claimBytes : 0),
}

const claimBytes = 200
