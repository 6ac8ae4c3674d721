/** Declares the formats of exported rows (NDJSON, CSV, Parquet), and streams them. */

import type { AccountPrincipal } from '../../domain/principal.ts'
import { formatPlainCsvLine, guardFormula } from '../../domain/text/csv.ts'
import type { TableColumn } from '../../queries/analysis/scan/rowColumns.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import type { Answer } from '../request/answer.ts'
import {
  choiceParameter,
  numberParameter,
  type QueryReader,
  withFallback,
} from '../request/queryReader.ts'
import type { AnswerDescription } from '../request/route.ts'
import { streamParquet } from './parquetTable.ts'
import { ndjsonType } from './scanAnswer.ts'

/** A row by its columns; undefined where it has no value. */
export type TableRow = Readonly<Record<string, unknown>>

interface Table {
  readonly columns: readonly TableColumn[]
  readonly pages: AsyncIterable<readonly TableRow[]>
}

/** `format`, `excel` and `limit` of an export. */
export const tableParameters = {
  format: withFallback(
    choiceParameter('format', ['ndjson', 'csv', 'parquet'], 'The form of the file.'),
    'ndjson',
  ),
  excel: withFallback(
    choiceParameter(
      'excel',
      ['true', 'false'],
      'Of CSV: with a byte order mark, and an apostrophe in front of what a spreadsheet would run as a formula.',
    ),
    'false',
  ),
  limit: numberParameter('limit', 'Rows at most; all unless given.', { min: 1 }),
}

interface TableFormat {
  readonly format: 'ndjson' | 'csv' | 'parquet'
  readonly excel: 'true' | 'false'
  readonly progress?: 'true' | 'false'
}

/** The reader of a query that refuses `excel` beside what is not CSV, and `progress` beside what is not NDJSON. */
export function checkFormat<Query extends TableFormat>(
  reader: QueryReader<Query>,
): QueryReader<Query> {
  return {
    ...reader,
    read: (given, details) => {
      const query = reader.read(given, details)
      if (query.format !== 'csv' && query.excel === 'true') {
        details.push({ path: 'excel', message: 'Must stand together with format=csv.' })
      }
      if (query.format !== 'ndjson' && query.progress === 'true') {
        details.push({ path: 'progress', message: 'Must stand together with format=ndjson.' })
      }
      return query
    },
  }
}

/** The answer of an export in every format, with the beginning of one as CSV. */
export function describeTable(noun: string, csv: string): AnswerDescription {
  return {
    description: `A row for each ${noun}.`,
    schema: { type: 'string', description: 'In NDJSON one JSON object per line.' },
    contentType: 'application/x-ndjson',
    otherTypes: { 'text/csv': csv, [parquetType]: undefined },
  }
}

const parquetType = 'application/vnd.apache.parquet'
const csvType = 'text/csv; charset=utf-8'

interface AskedTable extends Pick<Answer, 'persons'> {
  readonly call: { readonly principal: AccountPrincipal }
  readonly query: TableFormat
}

/** Streams the table within the limit of long answers: rows are read as the client takes them. */
export function streamTable(
  limit: ConcurrencyLimit,
  { call, query: { format, excel }, ...shown }: AskedTable,
  open: (closed: AbortSignal) => Promise<Table>,
): Promise<Answer> {
  return streamWithinLimit(limit, call.principal.accountId, async (closed) => {
    const { columns, pages } = await open(closed)
    if (format === 'parquet') {
      return { ...shown, contentType: parquetType, chunks: streamParquet(pages, columns) }
    }
    if (format === 'csv') {
      const chunks = streamCsv(pages, columns, excel === 'true')
      return { ...shown, contentType: csvType, chunks }
    }
    return { ...shown, contentType: ndjsonType, chunks: streamLines(pages, formatJson) }
  })
}

/** Rows whose text is made at a time. */
const rowsAtOnce = 200

async function* streamLines(
  pages: AsyncIterable<readonly TableRow[]>,
  format: (row: TableRow) => string,
): AsyncGenerator<string, void, undefined> {
  for await (const rows of pages) {
    for (let first = 0; first < rows.length; first += rowsAtOnce) {
      yield rows
        .slice(first, first + rowsAtOnce)
        .map(format)
        .join('')
    }
  }
}

function formatJson(row: TableRow): string {
  return `${JSON.stringify(row)}\n`
}

async function* streamCsv(
  pages: AsyncIterable<readonly TableRow[]>,
  columns: readonly TableColumn[],
  isExcel: boolean,
): AsyncGenerator<string, void, undefined> {
  const guard = isExcel ? guardCell : (text: string) => text
  const formatRow = (cells: readonly string[]) => `${formatPlainCsvLine(cells.map(guard))}\r\n`
  yield `${isExcel ? '\ufeff' : ''}${formatRow(columns.map(({ name }) => name))}`
  yield* streamLines(pages, (row) => formatRow(columns.map(({ name }) => formatCell(row[name]))))
}

/** Several values are joined by semicolons, one that is not there is empty. */
function formatCell(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatCell).join(';')
  return value === undefined || value === null ? '' : String(value)
}

/** Spreadsheets of many countries begin a cell at each semicolon. */
function guardCell(text: string): string {
  return text.split(';').map(guardFormula).join(';')
}
