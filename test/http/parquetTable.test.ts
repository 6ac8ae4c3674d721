/** The row groups of a Parquet file, each of which is made at once while other requests wait. */

import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { streamParquet } from '../../src/http/analysis/parquetTable.ts'

const columns = [
  { name: 'id', type: 'text' },
  { name: 'rules', type: 'text', isList: true },
] as const

async function* pagesOf(rows: readonly { readonly id: string; readonly rules: string[] }[]) {
  for (let first = 0; first < rows.length; first += 100) yield rows.slice(first, first + 100)
}

async function write(rows: number, rulesOfEach: number) {
  const rules = Array.from({ length: rulesOfEach }, (_, at) => `rul_${at}`)
  const all = Array.from({ length: rows }, (_, at) => ({ id: `evl_${at}`, rules }))
  const pieces: Uint8Array[] = []
  for await (const piece of streamParquet(pagesOf(all), columns)) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const groups = parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows))
  expect(await parquetReadObjects({ file })).toEqual(all)
  return groups
}

test('a group has at most 2,000 rows', async () => {
  expect(await write(4_100, 1)).toEqual([2_000, 2_000, 100])
})

test('of rows with long lists it has fewer, by their values', async () => {
  expect(await write(150, 998)).toEqual([64, 64, 22])
})
