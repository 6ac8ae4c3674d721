/** Writes rows as CSV, so that no cell runs as a formula. */

export type Cell = string | number | boolean | undefined | null

/** A spreadsheet would compute what begins so; phone numbers too. */
const formula = /^[=+\-@\t\r]/

export function formatCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')
}

function formatCell(cell: Cell): string {
  const text = String(cell ?? '')
  const safe = typeof cell === 'string' && formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
