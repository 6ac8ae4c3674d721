/** Work of which each piece has consequences that nobody is charged for: a few of it in a turn, whatever they take themselves. */

import type { LoopTurns } from './loopTurns.ts'

export interface FewEachTurn {
  readonly turns: Pick<LoopTurns, 'enter' | 'next'>
  /** Whose turns they are. */
  readonly key: string
  /** How many are done in one turn. */
  readonly most: number
}

/** Answers how to have work done in a coming turn, behind what waits already. Who waits is bounded by the connections. */
export function fewEachTurn({ turns, key, most }: FewEachTurn): (work: () => void) => void {
  const waiting: (() => void)[] = []
  let isExpected = false
  const expect = (): void => {
    if (isExpected) return
    isExpected = true
    turns.next(() => turns.enter(key, goOn))
  }
  const goOn = (): void => {
    isExpected = false
    for (const work of waiting.splice(0, most)) work()
    if (waiting.length > 0) expect()
  }
  return (work) => {
    waiting.push(work)
    expect()
  }
}
