/** How the events of a session add up in memory. */

import {
  evolveSession,
  lastOfSession,
  type SessionEvent,
  type SessionState,
} from '../../events/sessions/session.ts'
import type { Family } from '../handling/family.ts'

export const sessionFamily: Family<SessionState | undefined, SessionEvent> = {
  initial: () => undefined,
  evolve: evolveSession,
  lastNeeded: lastOfSession,
  weigh: (state) =>
    state
      ? sessionBytes + state.scopes.length * scopeBytes + state.proof_ids.length * proofBytes
      : 0,
}

const sessionBytes = 1_200
const scopeBytes = 150
const proofBytes = 80
