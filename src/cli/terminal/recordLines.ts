/** A table for a screen too narrow for its columns: a line for each cell, its title before it. */

import { colourOf } from './paint.ts'
import type { Screen } from './screen.ts'
import { widthOf, wrapText } from './wrapText.ts'

const gap = 2
/** Less than this beside the titles is no room for a text. */
const textWidthMin = 12

export interface Titled {
  readonly title: string
  /**
   * What gives way where the screen is too narrow: `wrap` goes on below, `cut` ends in `…`. A column without it, such as one of ids, is
   * always whole.
   */
  readonly narrow?: 'wrap' | 'cut'
  /** Whether its words are verdicts or outcomes, which have colours. */
  readonly coloured?: boolean
}

/** The rows one below the other, an empty line between two; empty cells are left out. Only an id can be wider than the screen. */
export function recordLines(
  columns: readonly Titled[],
  rows: readonly (readonly string[])[],
  screen: Screen,
): readonly string[] {
  const titleWidth = Math.max(0, ...columns.map(({ title }) => widthOf(title)))
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : ['']),
    ...columns.flatMap((column, index) => {
      const text = row[index] ?? ''
      return text === '' ? [] : cellLines(column, text, { screen, titleWidth })
    }),
  ])
}

interface Place {
  readonly screen: Screen
  readonly titleWidth: number
}

function cellLines(
  { title, narrow, coloured }: Titled,
  text: string,
  { screen: { paint, width }, titleWidth }: Place,
): readonly string[] {
  const room = width - titleWidth - gap
  const isBeside = narrow ? room >= textWidthMin : widthOf(text) <= room
  const [first = '', ...more] = wrapText(text, isBeside ? room : width)
  const value = (line: string): string => (coloured ? paint(colourOf(line), line) : line)
  const name = paint('bold', title)
  if (!isBeside) return [...(title === '' ? [] : [name]), value(first), ...more.map(value)]
  const padding = ' '.repeat(titleWidth + gap)
  const indent = ' '.repeat(titleWidth - widthOf(title) + gap)
  return [name + indent + value(first), ...more.map((line) => padding + value(line))]
}
