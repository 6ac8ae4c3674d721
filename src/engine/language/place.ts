/** Where in a rule's text something stands. */

import type { Place } from './expression.ts'

/** The line and column, both from 1 and counted in characters as people count them, of an offset into the text. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line += 1
  return [line, [...before.slice(lineStart)].length + 1]
}
