/** The canonical text of something large, others having their turns while it is made. */

import { canonicalPieces } from '../../domain/canonicalJson.ts'
import { newPace } from '../../domain/pace.ts'

/** Levels that are gone through one by one: a request, its lists, what is in them. */
const levels = 3

/** What `canonicalJson` makes of the value. */
export async function canonicalText(value: object): Promise<string> {
  const pace = newPace()
  const pieces: string[] = []
  for (const piece of canonicalPieces(value, levels)) {
    pieces.push(piece)
    await pace.done(piece.length)
  }
  return pieces.join('')
}
