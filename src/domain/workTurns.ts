/** The turns of the event loop that are for work, between those that only take connections. */

export interface WorkTurns {
  /** To be called for each new connection. */
  readonly arrived: () => void
  /** Calls back in the next turn that is for work. */
  readonly next: (work: () => void) => void
  /** Has there be a next one, also when nobody else waits for it. */
  readonly expect: () => void
}

interface WorkTurnsOptions {
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (work: () => void) => void
  /** Told whether more connections wait to be taken. */
  readonly onBegin: (connectionsWait: boolean) => void
  /** When all that waited for the turn was called back. */
  readonly onWork: () => void
}

/**
 * Turns in a row in which a connection came that pass before the next one is for work. The event loop takes one connection in a turn,
 * in the order in which they came, so a turn full of work for each would have the last of a thousand wait for seconds.
 */
const arrivalsMax = 128

/** Opens the turns of one thread. */
export function openWorkTurns({ nextTurn, onBegin, onWork }: WorkTurnsOptions): WorkTurns {
  let works: (() => void)[] = []
  let isExpected = false
  let hasArrived = false
  let arrivals = 0

  const expect = (): void => {
    if (isExpected) return
    isExpected = true
    nextTurn(turn)
  }
  const turn = (): void => {
    isExpected = false
    arrivals = hasArrived ? arrivals + 1 : 0
    hasArrived = false
    if (arrivals > 0 && arrivals <= arrivalsMax) expect()
    else work()
  }
  const work = (): void => {
    const connectionsWait = arrivals > 0
    arrivals = 0
    onBegin(connectionsWait)
    const due = works
    works = []
    for (const each of due) each()
    onWork()
  }

  return {
    arrived: () => {
      hasArrived = true
    },
    next: (work) => {
      works.push(work)
      expect()
    },
    expect,
  }
}
