/** Writes rows as a Parquet file, in row groups that leave memory one by one. */

import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { TableColumn } from '../../queries/analysis/scan/rowColumns.ts'
import type { TableRow } from './tableFormats.ts'

/**
 * Rows of a group, and values, those of lists among them: one group is made at once, and other requests wait meanwhile.
 */
const groupMax = { rows: 2_000, values: 64_000 } as const

/** The pieces of the file; its end, without which no reader takes it, comes after the last row. */
export async function* streamParquet(
  pages: AsyncIterable<readonly TableRow[]>,
  columns: readonly TableColumn[],
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = new ByteWriter()
  const schema = [
    { name: 'root', num_children: columns.length },
    ...columns.flatMap(describeElements),
  ]
  // what is said of each group stays in memory to the end of the file
  const file = new ParquetWriter({ writer: bytes, schema, statistics: false })
  for await (const rows of regroup(pages, columns)) {
    const columnData = columns.map((column) => toColumnData(column, rows))
    // the writer says when its bytes are written, and these are in memory
    void file.write({ columnData, rowGroupSize: groupMax.rows })
    yield takeBytes(bytes)
  }
  void file.finish()
  yield takeBytes(bytes)
}

/** The rows of each group. */
async function* regroup(
  pages: AsyncIterable<readonly TableRow[]>,
  columns: readonly TableColumn[],
): AsyncGenerator<readonly TableRow[], void, undefined> {
  let group: TableRow[] = []
  let values = 0
  for await (const page of pages) {
    for (const row of page) {
      group.push(row)
      values += columns.reduce((sum, { name }) => sum + countValues(row[name]), 0)
      if (group.length < groupMax.rows && values < groupMax.values) continue
      yield group
      group = []
      values = 0
    }
  }
  if (group.length > 0) yield group
}

function countValues(value: unknown): number {
  return Array.isArray(value) ? 1 + value.length : 1
}

function takeBytes(bytes: ByteWriter): Uint8Array {
  const taken = bytes.getBytes().slice()
  bytes.index = 0
  return taken
}

const elementByType: Readonly<Record<TableColumn['type'], Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  number: { type: 'DOUBLE' },
  integer: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
}

function describeElements({ name, type, isList }: TableColumn): readonly SchemaElement[] {
  const value = { ...elementByType[type], repetition_type: 'OPTIONAL' } as const
  if (!isList) return [{ name, ...value }]
  const list = { converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 } as const
  return [
    { name, repetition_type: 'OPTIONAL', ...list },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', ...value },
  ]
}

function toColumnData({ name, type }: TableColumn, rows: readonly TableRow[]): ColumnSource {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert)
    if (value === undefined || value === null) return null
    if (type === 'time') return new Date(String(value))
    return type === 'integer' ? BigInt(String(value)) : value
  }
  return { name, data: rows.map((row) => convert(row[name])), offsetIndex: false }
}
