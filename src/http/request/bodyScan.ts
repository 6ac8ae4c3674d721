/** Looks through a body as it comes, as little as it takes to know that it is within the limits of bodies. */

import { depthMax, type JsonLimits, openJsonScan } from './jsonScan.ts'

/** Characters that wait to be looked at one by one, should it come to that. */
const waitingMax = 16 * 1024

/** Without so many of these nothing is deep, wide or many. */
const marks = [',', '{', '[']

/**
 * To be told of each piece of a body: of its bytes read as Latin-1. Throws what `openJsonScan` throws, for the same bodies and at the same
 * piece. A usual body has few commas and brackets, which are counted several times faster than it is gone through.
 */
export function openBodyScan(limits: JsonLimits): (piece: string) => void {
  const harmless = Math.min(depthMax, limits.values - 1)
  let look: ((piece: string) => void) | undefined
  let waiting = ''
  let found = 0

  return (piece) => {
    if (look) {
      look(piece)
      return
    }
    waiting += piece
    found += marksIn(piece, harmless)
    if (found <= harmless && waiting.length <= waitingMax) return
    look = openJsonScan(limits).look
    look(waiting)
    waiting = ''
  }
}

/** How many there are, texts and all; somewhat more than `enough` stands for any number beyond it. */
function marksIn(piece: string, enough: number): number {
  let found = 0
  for (const mark of marks) {
    let at = piece.indexOf(mark)
    while (at !== -1 && found <= enough) {
      found += 1
      at = piece.indexOf(mark, at + 1)
    }
  }
  return found
}
