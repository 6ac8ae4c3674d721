/** Columns that line up, on a screen of any width. */

import { fitColumns } from './fitColumns.ts'
import { colourOf } from './paint.ts'
import { printable } from './printable.ts'
import { recordLines, type Titled } from './recordLines.ts'
import type { Screen } from './screen.ts'
import { cutText, idWidth, widthOf, wordWidth, wrapText } from './wrapText.ts'

export interface Column extends Titled {
  readonly align?: 'right'
  /** Columns of the terminal after which a cell is cut off, however wide that is. */
  readonly widthMax?: number
}

/** What a column of text keeps at least, where it has that much; and what it keeps so that its words stay whole, if there is room. */
const textWidth = { least: 12, ofWords: 24 }
const gap = 2

/**
 * The lines of a table with its titles, no white space at their ends and none wider than the screen. Where even the whole columns have
 * no room beside one another, each row becomes a record: a line for each of its cells, an empty line between two rows.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  screen: Screen,
): readonly string[] {
  const cells = rows.map((row) => columns.map((column, index) => cellOf(row[index] ?? '', column)))
  const room = screen.width - gap * (columns.length - 1)
  const widths = widthsOf(columns, cells, room)
  if (!widths) return recordLines(columns, cells, screen)
  const titles = columns.map(({ title }) => title)
  const line = lineOf({ columns, widths, screen })
  return [
    line(titles, true),
    ...cells.flatMap((row) => rowLines(row, columns, widths).map((part) => line(part, false))),
  ]
}

function cellOf(text: string, { widthMax = 200 }: Column): string {
  return cutText(printable(text), widthMax)
}

/** The widths of the columns; undefined when there is no room for them. */
function widthsOf(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  room: number,
): readonly number[] | undefined {
  const extentsOf = (leastOf: (text: string) => number) =>
    columns.map(({ title, narrow }, index) => {
      const widest = (measure: (text: string) => number): number =>
        rows.reduce((most, row) => Math.max(most, measure(row[index] ?? '')), widthOf(title))
      const wanted = widest(widthOf)
      return { wanted, least: narrow ? Math.max(textWidth.least, widest(leastOf)) : wanted }
    })
  const wholeWords = (text: string): number =>
    Math.max(idWidth(text), Math.min(textWidth.ofWords, wordWidth(text)))
  return fitColumns(extentsOf(wholeWords), room) ?? fitColumns(extentsOf(idWidth), room)
}

/** What stands below one another of a row: as many lines as its longest cell has. */
function rowLines(
  row: readonly string[],
  columns: readonly Column[],
  widths: readonly number[],
): readonly (readonly string[])[] {
  const wrapped = row.map((text, index) => fitted(text, columns[index]?.narrow, widths[index] ?? 0))
  const height = Math.max(1, ...wrapped.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) => wrapped.map((lines) => lines[at] ?? ''))
}

function fitted(text: string, narrow: Column['narrow'], width: number): readonly string[] {
  return narrow === 'cut' ? [cutText(text, width)] : wrapText(text, width)
}

interface Layout {
  readonly columns: readonly Column[]
  readonly widths: readonly number[]
  readonly screen: Screen
}

/** Puts cells beside one another. */
function lineOf({ columns, widths, screen: { paint } }: Layout) {
  return (cells: readonly string[], isTitle: boolean): string =>
    columns
      .map(({ align, coloured }, index) => {
        const text = cells[index] ?? ''
        const room = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)))
        const shown = isTitle ? paint('bold', text) : coloured ? paint(colourOf(text), text) : text
        return align === 'right' ? room + shown : shown + room
      })
      .join(' '.repeat(gap))
      .trimEnd()
}
