/** Exports an account's evaluations as rows of chosen columns. */

import type { Call } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import type { ScanRow } from './scan/foldRows.ts'
import { columnNames } from './scan/rowColumns.ts'
import {
  prepareScan,
  runScan,
  type ScanContext,
  type ScanRange,
  type ScanStep,
} from './scan/scan.ts'
import { describeUnknown, toScanName } from './scan/where.ts'

export interface ExportQuery extends ScanRange {
  /** Names as in `where`, and columns of their own; separated by commas. */
  readonly columns: string
  /** Rows at most; all unless given. */
  readonly limit?: number
  /** Aborted once nobody waits for the rows. */
  readonly signal: AbortSignal
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
  { columns: written, limit: matchedMax, signal, ...range }: ExportQuery,
): Promise<{
  readonly columns: readonly string[]
  readonly pages: AsyncIterable<readonly ScanRow[]>
}> {
  const columns = readColumns(written)
  const plan = await prepareScan(context, call, { range, fold: { kind: 'rows', columns } })
  const options = { kind: 'rows' as const, signal, ...(matchedMax !== undefined && { matchedMax }) }
  return { columns, pages: readPages(runScan(context, plan, options)) }
}

async function* readPages(
  steps: AsyncIterable<ScanStep<readonly ScanRow[]>>,
): AsyncGenerator<readonly ScanRow[], void, undefined> {
  for await (const { folded } of steps) yield folded
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
