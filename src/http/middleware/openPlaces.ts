/** The places in which requests are served, and their fair use: an account has a share of them, and of the time of this thread. */

import { type FairQueue, openFairQueue } from '../../domain/fairQueue.ts'
import type { LoopTurns } from '../../domain/loopTurns.ts'

export type Places = Pick<FairQueue, 'enter' | 'waiting'>

interface PlacesOptions {
  /** Places of all accounts together. */
  readonly inFlightMax: number
  readonly turns: LoopTurns
}

/** However few the places are, one request of each of some accounts may wait: who holds the place need not be who is refused. */
const leastWaiting = 4
/** Of all places, the part that one account may take; what it sends beyond that waits. */
const shareOf = (places: number): number => Math.ceil(places / 4)

/** Opens the places. What has a place begins when it is the turn of its account. */
export function openPlaces({ inFlightMax, turns }: PlacesOptions): Places {
  const share = shareOf(inFlightMax)
  const queue = openFairQueue({
    places: inFlightMax,
    share,
    waitingMax: Math.max(inFlightMax, leastWaiting),
    waitingShare: Math.max(inFlightMax - share, 1),
  })
  return {
    enter: (key, begin) => {
      let leaveTurn = (): void => {}
      const leave = queue.enter(key, (givePlace) => {
        leaveTurn = turns.enter(key, () => begin(givePlace))
      })
      if (typeof leave === 'string') return leave
      return () => {
        leaveTurn()
        leave()
      }
    },
    waiting: queue.waiting,
  }
}

const placesOfOperator = 100

/** Places that no account takes part in: the operator waits only behind itself. */
export function openPlacesOfOperator(): Places {
  const most = placesOfOperator
  return openFairQueue({ places: most, share: most, waitingMax: most, waitingShare: most })
}
