/** Exports an account's evaluations as rows of chosen columns. */

import type { Call } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import type { ScanRow } from './scan/foldRows.ts'
import { columnNames } from './scan/rowColumns.ts'
import { prepareScan, runScan, type ScanContext, type ScanRange } from './scan/scan.ts'
import { describeUnknown, toScanName } from './scan/where.ts'

export interface ExportQuery extends ScanRange {
  /** Names as in `where`, and columns of their own; separated by commas. */
  readonly columns: string
  /** Rows at most; all unless given. */
  readonly limit?: number
}

/** Columns of one export. */
const columnsMax = 64

/**
 * The rows in the order of the clock of their rules, some at a time, each read when it is asked for. Throws
 * `invalid_request` for a column that there is not, and as `prepareScan`.
 */
export async function exportEvaluations(
  context: ScanContext,
  call: Call,
  { columns: written, limit, ...range }: ExportQuery,
): Promise<{
  readonly columns: readonly string[]
  readonly pages: AsyncIterable<readonly ScanRow[]>
}> {
  const columns = readColumns(written)
  const plan = await prepareScan(context, call, { range, fold: { kind: 'rows', columns } })
  return { columns, pages: readPages(context, plan, limit) }
}

async function* readPages(
  context: ScanContext,
  plan: Parameters<typeof runScan>[1],
  matchedMax: number | undefined,
): AsyncGenerator<readonly ScanRow[], void, undefined> {
  const stop = new AbortController()
  try {
    const options = { kind: 'rows' as const, signal: stop.signal }
    const limited = matchedMax === undefined ? options : { ...options, matchedMax }
    for await (const { folded } of runScan(context, plan, limited)) yield folded
  } finally {
    // nothing is read for who has gone
    stop.abort()
  }
}

/** The columns of a text, as scans name them. Throws `invalid_request` naming `columns`. */
export function readColumns(written: string): readonly string[] {
  const columns = written.split(',').map((name) => {
    const found = columnNames.includes(name.trim()) ? name.trim() : toScanName(name.trim())
    if (found !== undefined) return found
    throw invalidRequest([{ path: 'columns', message: describeUnknown(name.trim()) }])
  })
  if (columns.length > columnsMax || new Set(columns).size < columns.length) {
    const message = `Must name at most ${columnsMax} columns, each once.`
    throw invalidRequest([{ path: 'columns', message }])
  }
  return columns
}
