/** Where in a rule's text something stands. */

import type { Place } from './expression.ts'
import type { Spot } from './problem.ts'

/** The spot from an offset into the text to another, or to the end of its first line; lines and columns from 1. */
export function spotOf(text: string, start: number, end: number): Spot {
  const [firstLine = ''] = text.slice(start, end).split('\n')
  return { at: placeOf(text, start), length: Math.max(1, charsIn(firstLine)) }
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line += 1
  return [line, charsIn(before.slice(lineStart)) + 1]
}

/** Characters as people count them, as far as code points are. */
function charsIn(text: string): number {
  return [...text].length
}
