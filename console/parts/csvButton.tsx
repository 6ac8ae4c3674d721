/** Saves rows as a file of CSV. */

import { type Cell, formatCsv } from './csv.ts'

interface CsvProps {
  /** Of the file. */
  readonly name: string
  /** The names of the columns first. */
  readonly rows: () => readonly (readonly Cell[])[]
}

export function CsvButton({ name, rows }: CsvProps) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([`\uFEFF${formatCsv(rows())}`], { type: 'text/csv' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `${name.toLowerCase().replaceAll(' ', '-')}.csv`
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <button type="button" class="quiet" onClick={save}>
      Save as CSV
    </button>
  )
}
