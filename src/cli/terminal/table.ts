/** Columns that line up. */

import { colourOf, type Paint } from './paint.ts'
import { printable } from './printable.ts'

export interface Column {
  readonly title: string
  readonly align?: 'right'
  /** Characters after which a cell is cut off. */
  readonly widthMax?: number
  /** Whether its words are verdicts or outcomes, which have colours. */
  readonly coloured?: boolean
}

/** The lines of a table with its titles, no white space at their ends. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): readonly string[] {
  const cells = rows.map((row) => columns.map((column, index) => cut(row[index] ?? '', column)))
  const widths = columns.map(({ title }, index) =>
    cells.reduce((widest, row) => Math.max(widest, lengthOf(row[index] ?? '')), title.length),
  )
  const line = (row: readonly string[], isTitle: boolean): string =>
    columns
      .map((column, index) => {
        const text = row[index] ?? ''
        const room = ' '.repeat(Math.max(0, (widths[index] ?? 0) - lengthOf(text)))
        const shown = isTitle ? paint('bold', text) : coloured(column, text, paint)
        return column.align === 'right' ? room + shown : shown + room
      })
      .join('  ')
      .trimEnd()
  return [
    line(
      columns.map(({ title }) => title),
      true,
    ),
    ...cells.map((row) => line(row, false)),
  ]
}

function coloured(column: Column, text: string, paint: Paint): string {
  return column.coloured ? paint(colourOf(text), text) : text
}

function cut(text: string, { widthMax = 200 }: Column): string {
  const characters = [...printable(text)]
  return characters.length > widthMax
    ? `${characters.slice(0, widthMax - 1).join('')}…`
    : characters.join('')
}

function lengthOf(text: string): number {
  return [...text].length
}
