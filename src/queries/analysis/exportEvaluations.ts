/** Exports an account's evaluations as rows of chosen columns. */

import type { Call } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { readableNames } from '../../engine/language/readableNames.ts'
import type { ScanRow } from './scan/foldRows.ts'
import {
  columnNames,
  columnNeeds,
  describeColumn,
  refuseColumn,
  type TableColumn,
} from './scan/rowColumns.ts'
import {
  prepareScan,
  runScan,
  type ScanContext,
  type ScanRange,
  type ScanStep,
} from './scan/scan.ts'
import { toScanName } from './scan/where.ts'

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

const ofEveryRow: readonly TableColumn[] = [
  { name: 'id', type: 'text' },
  { name: 'evaluated_at', type: 'time' },
]

/**
 * The rows in the order of the clock of their rules, some at a time, each read when it is asked for: as pages, or as
 * steps that say how far the scan is. Throws `invalid_request` for a column that there is not, and as `prepareScan` and
 * `runScan`.
 */
export async function exportEvaluations(
  context: ScanContext,
  call: Call,
  { columns: written, limit: matchedMax, signal, ...range }: ExportQuery,
): Promise<{
  readonly columns: readonly TableColumn[]
  readonly steps: AsyncIterable<Step>
  readonly pages: AsyncIterable<readonly ScanRow[]>
}> {
  const columns = readColumns(written)
  const plan = await prepareScan(context, call, { range, fold: { kind: 'rows', columns } })
  const options = { kind: 'rows' as const, signal, ...(matchedMax !== undefined && { matchedMax }) }
  const rest = runScan(context, plan, options)
  // what cannot be read at all is answered before the first row
  const steps = readSteps(await rest.next(), rest)
  const shown = [...ofEveryRow, ...columns.map(describeColumn)]
  return { columns: shown, steps, pages: readPages(steps) }
}

type Step = ScanStep<readonly ScanRow[]>

async function* readSteps(
  first: IteratorResult<Step, void>,
  rest: AsyncGenerator<Step, void, undefined>,
): AsyncGenerator<Step, void, undefined> {
  if (first.done) return
  yield first.value
  yield* rest
}

async function* readPages(
  steps: AsyncIterable<Step>,
): AsyncGenerator<readonly ScanRow[], void, undefined> {
  for await (const { folded } of steps) yield folded
}

/**
 * The columns of a text, as scans name them, without those of every row; with `forgotten` where a row lacks values once
 * its end user was erased. Throws `invalid_request` naming `columns`.
 */
function readColumns(written: string): readonly string[] {
  const names = written.split(',').map((name) => name.trim())
  const columns = names
    .filter((name) => ofEveryRow.every((own) => own.name !== name))
    .map((name) => toColumn(name) ?? refuseUnknown(name))
  const hasEvidence = columns.some((name) => columnNeeds(name).evidence)
  const all = hasEvidence && !columns.includes('forgotten') ? [...columns, 'forgotten'] : columns
  if (columns.length <= columnsMax && new Set(all).size === all.length) return all
  const message = `Must name at most ${columnsMax} columns, each once.`
  throw invalidRequest([{ path: 'columns', message }])
}

function toColumn(name: string): string | undefined {
  if (columnNames.includes(name)) return name
  const found = toScanName(name)
  // names of the evidence have a dot; others are of conditions alone
  return found?.includes('.') ? found : undefined
}

/** What people mean by names that are conditions alone. */
const columnInstead: ReadonlyMap<string, string> = new Map([
  ['phone', 'target.phone_number'],
  ['email', 'target.email_address'],
  ['ip', 'signal.ip'],
  ['device', 'signal.device_id'],
  ['rule', 'rules'],
])

function refuseUnknown(name: string): never {
  const known = [...columnNames, ...readableNames.map((one) => one.name), 'signal.ext.KEY']
  return refuseColumn(name, known, columnInstead.get(name))
}
