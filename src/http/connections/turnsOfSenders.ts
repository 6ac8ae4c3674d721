/** In which line a connection or a request of a sender waits. */

import type { FairQueue } from '../../domain/fairQueue.ts'
import type { Sender } from './knownSenders.ts'
import type { Arrivals } from './openArrivals.ts'
import { openTurns } from './openTurns.ts'

interface Line {
  readonly queue: FairQueue
  readonly key: string
}

/** Opens the lines: in one all senders take turns, and whoever watches the service waits for none of them. */
export function openTurnsOfSenders({ turns, senders }: Arrivals): (sender: Sender) => Line {
  const ordinary = openTurns(turns.next)
  const monitoring = openTurns(turns.next)
  return (sender) => ({
    queue: sender.monitors ? monitoring : ordinary,
    key: senders.of(sender),
  })
}
