/** Long work in pieces: between two of them everybody else has their turn. */

import { turnsOfThread } from './loopTurns.ts'

/** Units of work, each about that of a character of JSON that is read, checked or written, after which others have their turn. */
export const pieceUnits = 32 * 1024

export interface Pace {
  /** Counts work that was done; where that makes a piece full, a promise of the turn in which the next one begins. */
  readonly done: (units: number) => Promise<void> | undefined
}

/** The pace of one piece of work; `nextTurn` settles when it may go on. */
export function newPace(nextTurn: () => Promise<void> = turnOfPiece): Pace {
  let piece = 0
  return {
    done: (units) => {
      piece += units
      if (piece < pieceUnits) return undefined
      piece = 0
      return nextTurn()
    },
  }
}

/** Those who wait to go on with long work, of the whole thread, since that is what they share. */
const waiting: (() => void)[] = []

/** A turn for one piece: of however many that wait, one goes on in each round of the event loop, the longest waiting first. */
function turnOfPiece(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) turnsOfThread.next(goOn)
  })
}

function goOn(): void {
  turnsOfThread.enter('long work in pieces', () => {
    waiting.shift()?.()
    if (waiting.length > 0) turnsOfThread.next(goOn)
  })
}
