/** What the server, which takes connections, and the app, which serves their requests, share. */

import { type KnownSenders, openKnownSenders } from './knownSenders.ts'
import { type LoopTurns, openLoopTurns } from './loopTurns.ts'

export interface Arrivals {
  readonly turns: LoopTurns
  readonly senders: KnownSenders
}

/** Opens the arrivals of one door. */
export function openArrivals(): Arrivals {
  return { turns: openLoopTurns(), senders: openKnownSenders() }
}
