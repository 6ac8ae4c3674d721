/** The differences of two texts, line by line, in the unified form. */

import { structuredPatch } from 'diff'

/** Changed lines beyond which two texts count as wholly different: comparing takes the square of them. */
const changesMax = 2_000
const contextLines = 3

/** Lines that start with `@@`, space, `-` or `+`; none when the texts are the same. Both end with a line break, or are empty. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const options = { context: contextLines, maxEditLength: changesMax }
  const found = structuredPatch('', '', before, after, undefined, undefined, options)
  if (!found)
    return [
      `@@ -${rangeOf(before)} +${rangeOf(after)} @@`,
      ...signed('-', before),
      ...signed('+', after),
    ]
  return found.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${placeOf(oldStart, oldLines)} +${placeOf(newStart, newLines)} @@`,
    ...lines,
  ])
}

/** An empty range names the line before it. */
function placeOf(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`
}

function rangeOf(text: string): string {
  return placeOf(1, signed('', text).length)
}

function signed(sign: string, text: string): readonly string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => sign + line)
}
