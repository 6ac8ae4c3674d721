/** An event loop whose turns, and what work takes in them, the test says. */

import { type LoopTurns, openLoopTurns } from '../../src/domain/loopTurns.ts'

export function fakeLoop() {
  let now = 0
  const next: (() => void)[] = []
  const after: (() => void)[] = []
  const turns = openLoopTurns({
    nowMs: () => now,
    nextTurn: (work) => next.push(work),
    afterwards: (work) => after.push(work),
  })
  /** Lets what was begun come to a stop, and what follows in the same turn. */
  const settle = (): void => {
    for (let work = after.shift(); work; work = after.shift()) work()
  }
  return {
    turns,
    /** The time passes that something takes. */
    takes: (ms: number): void => {
      now += ms
    },
    settle,
    /** One turn of the loop, in which a connection comes or none. */
    pass: (arrives = false): void => {
      settle()
      if (arrives) turns.arrived()
      for (const work of next.splice(0)) work()
      settle()
    },
    expected: (): number => next.length,
  }
}

/** A turn that has time for so many works, of one key or of all, and the next never comes. */
export function turnsThatNeverCome(works: number, costly?: string): LoopTurns {
  let now = 0
  const turns = openLoopTurns({ nowMs: () => now, nextTurn: () => undefined })
  const costing = (key: string, begin: () => void) => (): void => {
    if (key === (costly ?? key)) now += longestTurnMs / works
    begin()
  }
  return {
    ...turns,
    enter: (key, begin) => turns.enter(key, costing(key, begin)),
    enterLater: (key, begin) => turns.enterLater(key, costing(key, begin)),
  }
}

/** With work for somebody who lately had nothing. */
const longestTurnMs = 10
