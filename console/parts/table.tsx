/** Shows rows as a table, as cards on a narrow screen, and saves them as CSV. */

import type { ComponentChildren } from 'preact'
import './table.css'
import { CopyId } from './copyId.tsx'
import type { Cell } from './csv.ts'
import { CsvButton } from './csvButton.tsx'
import { Moment } from './moment.tsx'
import { type Outcome, OutcomeMark } from './outcome.tsx'
import { count } from './values.tsx'

interface Column<Row> {
  readonly title: string
  /** Of the file; shown, too, unless `show` says otherwise. */
  readonly cell: (row: Row) => Cell
  readonly as?: keyof typeof looks
  /** Where what is shown leads. */
  readonly href?: (row: Row) => string | undefined
  /** Shown of a row that has nothing there. */
  readonly none?: string
  /** In place of the title, for who sees it. */
  readonly heading?: ComponentChildren
  readonly show?: (row: Row) => ComponentChildren
  /** Digits stand under digits. */
  readonly isNumber?: boolean
  /** Never longer than a few words, which stay together. */
  readonly isShort?: boolean
}

const looks = {
  text: (cell: Cell) => <bdi>{typeof cell === 'number' ? count(cell) : cell}</bdi>,
  code: (cell: Cell) => (
    <code>
      <bdi>{cell}</bdi>
    </code>
  ),
  clip: (cell: Cell) => <bdi class="clip">{cell}</bdi>,
  id: (cell: Cell) => <CopyId id={String(cell)} shown={6} />,
  moment: (cell: Cell) => <Moment at={String(cell)} />,
  outcome: (cell: Cell) => <OutcomeMark of={cell as Outcome} />,
} as const

function show<Row>(row: Row, { cell, as = 'text', href, none, show: own }: Column<Row>) {
  const value = cell(row)
  const isNothing = value === undefined || value === null || value === ''
  if (isNothing && !own) return none && <span class="soft">{none}</span>
  const shown = own ? own(row) : looks[as](value)
  const address = href?.(row)
  return address === undefined ? shown : <a href={address}>{shown}</a>
}

export interface TableProps<Row> {
  /** Said to who cannot see it, and the name of the file. */
  readonly name: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Those of the file, when not all are shown. */
  readonly all?: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Where the file comes from, when the rows shown are not all. */
  readonly file?: ComponentChildren
}

export function Table<Row>({ name, columns, rows, all = rows, keyOf, file }: TableProps<Row>) {
  const cells = () => [
    columns.map(({ title }) => title),
    ...all.map((row) => columns.map(({ cell }) => cell(row))),
  ]
  return (
    <div class="table">
      <table>
        <caption class="sr">{name}</caption>
        <thead>
          <tr>
            {columns.map(({ title, heading = title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : ''}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td
                  key={column.title}
                  data-title={column.title}
                  class={column.isNumber ? 'number' : column.isShort ? 'short' : ''}
                >
                  {show(row, column)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="table-foot">{file ?? <CsvButton name={name} rows={cells} />}</div>
    </div>
  )
}
