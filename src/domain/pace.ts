/** Long work in pieces: between two of them everybody else has their turn. */

import { type LoopTurns, turnsOfThread } from './loopTurns.ts'

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

/** Whose turns they have who began in nobody's. */
const nobodys = 'long work in pieces'

/**
 * Turns for pieces of long work: of however many of one key that wait, one goes on in each round of the event loop, the longest waiting
 * first. A piece is of the key for which the work went on before it, and its time is the time of that key.
 */
export function openPieces(turns: LoopTurns): () => Promise<void> {
  /** Of each key. */
  const waiting = new Map<string, (() => void)[]>()
  const goOn = (key: string): void => {
    const line = waiting.get(key) ?? []
    line.shift()?.()
    if (line.length > 0) expect(key)
    else waiting.delete(key)
  }
  const expect = (key: string): void => turns.next(() => turns.enter(key, () => goOn(key)))

  return () =>
    new Promise((resolve) => {
      const key = turns.whose() ?? nobodys
      const line = waiting.get(key)
      if (line) line.push(resolve)
      else {
        waiting.set(key, [resolve])
        expect(key)
      }
    })
}

const turnOfPiece = openPieces(turnsOfThread)
