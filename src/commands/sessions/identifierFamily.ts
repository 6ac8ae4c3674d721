/** How the events of an identifier add up in memory. */

import {
  evolveIdentifier,
  type IdentifierEvent,
  type IdentifierStream,
  noIdentifier,
} from '../../events/sessions/identifier.ts'
import type { Family } from '../handling/family.ts'

export const identifierFamily: Family<IdentifierStream, IdentifierEvent> = {
  initial: () => noIdentifier,
  evolve: evolveIdentifier,
  weigh: ({ claim }) => (claim ? claimBytes : 0),
}

const claimBytes = 200
