/** Shows rows as a table, as cards on a narrow screen, and saves them as CSV. */

import type { ComponentChildren } from 'preact'
import './table.css'
import { type Cell, formatCsv } from './csv.ts'

interface Column<Row> {
  readonly title: string
  readonly show: (row: Row) => ComponentChildren
  /** Of the file. */
  readonly cell: (row: Row) => Cell
  /** Digits stand under digits. */
  readonly isNumber?: boolean
  /** Never longer than a few words, which stay together. */
  readonly isShort?: boolean
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
  const save = () =>
    saveCsv(name.toLowerCase().replaceAll(' ', '-'), [
      columns.map(({ title }) => title),
      ...all.map((row) => columns.map(({ cell }) => cell(row))),
    ])
  return (
    <div class="table">
      <table>
        <caption class="sr">{name}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, show, isNumber, isShort }) => (
                <td
                  key={title}
                  data-title={title}
                  class={isNumber ? 'number' : isShort ? 'short' : ''}
                >
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="table-foot">
        {file ?? (
          <button type="button" class="quiet" onClick={save}>
            Save as CSV
          </button>
        )}
      </div>
    </div>
  )
}

function saveCsv(name: string, rows: readonly (readonly Cell[])[]): void {
  const url = URL.createObjectURL(new Blob([`\uFEFF${formatCsv(rows)}`], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}.csv`
  link.click()
  URL.revokeObjectURL(url)
}
