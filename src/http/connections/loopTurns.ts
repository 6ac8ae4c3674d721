/** The turns of the event loop: those in which there is work, and between them those that only take new connections. */

export interface LoopTurns {
  /** To be called for each new connection. */
  readonly arrived: () => void
  /** Calls back in the next turn that is for work. */
  readonly next: (work: () => void) => void
}

/**
 * Turns in a row in which a connection came that pass before the next one is for work. The event loop takes one connection in a turn,
 * in the order in which they came, so a turn full of work for each would have the last of a thousand wait for seconds.
 */
const arrivalsMax = 128

/** Opens the turns of one thread; `nextTurn` calls back in the next turn of its event loop. */
export function openLoopTurns(nextTurn: (work: () => void) => void = setImmediate): LoopTurns {
  let works: (() => void)[] = []
  let isExpected = false
  let hasArrived = false
  let arrivals = 0

  const expectTurn = (): void => {
    if (isExpected) return
    isExpected = true
    nextTurn(turn)
  }
  const turn = (): void => {
    isExpected = false
    arrivals = hasArrived ? arrivals + 1 : 0
    hasArrived = false
    if (arrivals > 0 && arrivals <= arrivalsMax) expectTurn()
    else work()
  }
  const work = (): void => {
    arrivals = 0
    const due = works
    works = []
    for (const each of due) each()
  }

  return {
    arrived: () => {
      hasArrived = true
    },
    next: (work) => {
      works.push(work)
      expectTurn()
    },
  }
}
