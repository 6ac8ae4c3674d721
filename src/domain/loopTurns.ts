/**
 * The turns of the event loop: those that only take connections, and those in which there is work. The time of the thread is shared
 * between those it works for: of all who wait, whoever lately had least goes on.
 */

import { openTimeOfKeys } from './timeOfKeys.ts'

/**
 * Turns in a row in which a connection came that pass before the next one is for work. The event loop takes one connection in a turn,
 * in the order in which they came, so a turn full of work for each would have the last of a thousand wait for seconds.
 */
const arrivalsMax = 128

export interface LoopTurns extends Pick<WorkTurns, 'arrived' | 'next'> {
  /**
   * Begins work for the key as soon as it is its turn, maybe at once; what it does until it waits for something outside is the key's
   * time. Answers how to leave before it has begun.
   */
  readonly enter: (key: string, begin: () => void) => () => void
  /** The same, but never at once: others who wait may come before it. */
  readonly enterLater: LoopTurns['enter']
  /** Whose work goes on; undefined for what nobody's turn began. */
  readonly whose: () => string | undefined
  /** Whether what goes on may do more in this turn. */
  readonly mayGoOn: () => boolean
}

export interface LoopTurnsOptions {
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn?: (work: () => void) => void
  /** Calls back in this turn, behind everything that waits for nothing outside. */
  readonly afterwards?: (work: () => void) => void
  /** A clock that never goes back. */
  readonly nowMs?: () => number
}

/** Works of one key that begin before it is known what they take: what one request comes to in its way, or some that wait for nothing. */
const unmeasuredMax = 8

/** Opens the turns of one thread. Who waits is bounded by the connections, which have one request each under way. */
export function openLoopTurns({
  nextTurn = setImmediate,
  afterwards = behindPromises,
  nowMs = () => performance.now(),
}: LoopTurnsOptions = {}): LoopTurns {
  const time = openTimeOfKeys(nowMs)
  const lines = openWaitingLines()
  let going: { readonly key: string; begun: number } | undefined

  const begin = (key: string, work: () => void): void => {
    if (going) going.begun += 1
    else {
      going = { key, begun: 1 }
      time.begin(key)
      afterwards(stopped)
      // what is had of a turn is counted until the next one
      turns.expect()
    }
    work()
  }
  const stopped = (): void => {
    going = undefined
    time.end()
    goOn()
  }
  /** The next one, if this turn has time for it; what it does is over before the one behind it begins. */
  const goOn = (): void => {
    const key = going ? undefined : time.leastOf(lines.keys())
    if (key === undefined) return
    const first = time.allows(key) ? lines.take(key) : undefined
    if (first) begin(key, first)
    else turns.expect()
  }
  const mayBegin = (key: string): boolean => {
    if (lines.has(key) || (going && going.key !== key)) return false
    if (!lines.isEmpty() && !time.hasLittle(key)) return false
    return (going?.begun ?? 0) < unmeasuredMax && time.allows(key)
  }
  const turns = openWorkTurns({ nextTurn, onBegin: time.beginTurn, onWork: goOn })

  const enterLater: LoopTurns['enter'] = (key, work) => {
    // else it is looked at when that stops
    if (!going) turns.expect()
    return lines.add(key, work)
  }

  return {
    arrived: turns.arrived,
    next: turns.next,
    enter: (key, work) => {
      if (!mayBegin(key)) return enterLater(key, work)
      begin(key, work)
      return () => undefined
    },
    enterLater,
    whose: () => going?.key,
    mayGoOn: () => time.isLeft(!lines.isEmpty()),
  }
}

/** Behind the promises that are settled, and those that they settle. */
function behindPromises(work: () => void): void {
  queueMicrotask(() => process.nextTick(work))
}

/** The turns of this thread. */
export const turnsOfThread = openLoopTurns()

interface WorkTurns {
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

/** Opens the turns of one thread. */
function openWorkTurns({ nextTurn, onBegin, onWork }: WorkTurnsOptions): WorkTurns {
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

interface WaitingLines {
  /** Stands behind what waits for the key; answers how to leave. */
  readonly add: (key: string, work: () => void) => () => void
  readonly has: (key: string) => boolean
  /** The keys for which something waits. */
  readonly keys: () => Iterable<string>
  readonly isEmpty: () => boolean
  /** Takes the first of the key from its line. */
  readonly take: (key: string) => (() => void) | undefined
}

/** Opens the lines. A key for which nothing waits takes no memory. */
function openWaitingLines(): WaitingLines {
  /** Each of a work by itself: the same may wait twice. */
  const lines = new Map<string, Set<readonly [() => void]>>()
  const leave = (key: string, one: readonly [() => void]): void => {
    const line = lines.get(key)
    if (line?.delete(one) && line.size === 0) lines.delete(key)
  }
  return {
    add: (key, work) => {
      const one = [work] as const
      const line = lines.get(key)
      if (line) line.add(one)
      else lines.set(key, new Set([one]))
      return () => leave(key, one)
    },
    has: (key) => lines.has(key),
    keys: () => lines.keys(),
    isEmpty: () => lines.size === 0,
    take: (key) => {
      const [first] = lines.get(key) ?? []
      if (first) leave(key, first)
      return first?.[0]
    },
  }
}
