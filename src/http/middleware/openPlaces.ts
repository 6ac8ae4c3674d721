/** The places in which requests are served, and their fair use: an account has a share of them, and of the time of this thread. */

import { type FairQueue, openFairQueue } from '../../domain/fairQueue.ts'

interface PlacesOptions {
  /** Places of all accounts together. */
  readonly inFlightMax: number
  /** A clock that never goes back. */
  readonly nowMs: () => number
  /** Processor time that this process has used. */
  readonly cpuMs?: () => number
  /** Calls back in the next turn of the event loop that is for work. */
  readonly nextTurn: (work: () => void) => void
}

/** Requests whose work begins in one turn of the event loop: what arrives in between is read before the next ones. */
const beginningsPerTurn = 4
/** A turn that worked for longer did too much at once: until one is shorter, an account gets no more than so many places. */
const slowTurnMs = 20
const narrowShare = 4
/** However few the places are, one request of each of some accounts may wait: who holds the place need not be who is refused. */
const leastWaiting = 4
/** Of all places, the part that one account may take; what it sends beyond that waits. */
const shareOf = (places: number): number => Math.ceil(places / 4)

/**
 * Opens the places. Accounts whose requests wait are served in turn. While turns of the event loop are long, an account gets few
 * places, so that others find the thread free however expensive its requests are.
 */
export function openPlaces(options: PlacesOptions): FairQueue {
  const { inFlightMax, nowMs, cpuMs = processCpuMs, nextTurn } = options
  const share = shareOf(inFlightMax)
  let begun = 0
  let isSlow = false
  let turnBegan: { readonly atMs: number; readonly cpuMs: number } | undefined

  const turn = (): void => {
    // a turn that took long because others had the processor did not do much
    isSlow =
      turnBegan !== undefined &&
      nowMs() - turnBegan.atMs > slowTurnMs &&
      cpuMs() - turnBegan.cpuMs > slowTurnMs
    turnBegan = undefined
    begun = 0
    queue.advance()
  }
  const expectTurn = (): void => {
    if (turnBegan) return
    turnBegan = { atMs: nowMs(), cpuMs: cpuMs() }
    nextTurn(turn)
  }
  const queue = openFairQueue(
    {
      places: inFlightMax,
      share,
      waitingMax: Math.max(inFlightMax, leastWaiting),
      waitingShare: Math.max(inFlightMax - share, 1),
    },
    {
      mayBegin: (taken) => {
        if (begun < beginningsPerTurn && !(isSlow && taken >= narrowShare)) return true
        expectTurn()
        return false
      },
      began: () => {
        begun += 1
        expectTurn()
      },
    },
  )
  return queue
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const placesOfOperator = 100

/** Places that no account takes part in: the operator waits only behind itself. */
export function openPlacesOfOperator(): FairQueue {
  const most = placesOfOperator
  return openFairQueue({ places: most, share: most, waitingMax: most, waitingShare: most })
}
