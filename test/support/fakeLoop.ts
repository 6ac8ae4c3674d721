/** An event loop whose turns, and what work takes in them, the test says. */

import { openLoopTurns } from '../../src/domain/loopTurns.ts'

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
