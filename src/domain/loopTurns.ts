/**
 * The turns of the event loop: those that only take connections, and those in which there is work. The time of the thread is shared
 * between those it works for: of all who wait, whoever lately had least goes on.
 */

import { openTimeOfKeys } from './timeOfKeys.ts'
import { openWaitingLines } from './waitingLines.ts'
import { openWorkTurns, type WorkTurns } from './workTurns.ts'

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
