/** What the server, which takes connections, and the app, which serves their requests, share. */

import { type LoopTurns, turnsOfThread } from '../../domain/loopTurns.ts'
import { type KnownSenders, openKnownSenders } from './knownSenders.ts'

export interface Arrivals {
  readonly turns: LoopTurns
  readonly senders: KnownSenders
}

/** Opens the arrivals of one door. */
export function openArrivals(turns: LoopTurns = turnsOfThread): Arrivals {
  return { turns, senders: openKnownSenders() }
}
