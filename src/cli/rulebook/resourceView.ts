/** How rules, recipes and flows are shown. */

import { stringify } from 'yaml'
import type { Body } from '../connecting/client.ts'
import { printableLines } from '../terminal/printable.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'
import type { Kind } from './folder/kind.ts'

interface FieldColumn extends Column {
  readonly field: string
}

const id: FieldColumn = { title: 'ID', field: 'id' }
const name: FieldColumn = { title: 'NAME', field: 'name', widthMax: 48, narrow: 'wrap' }
const description: FieldColumn = {
  title: 'DESCRIPTION',
  field: 'description',
  widthMax: 72,
  narrow: 'wrap',
}

/** A list of resources is shown by how many there are. */
const columns: Readonly<Record<Kind, readonly FieldColumn[]>> = {
  rules: [
    id,
    name,
    { title: 'EXPRESSION', field: 'expression', widthMax: 72, narrow: 'cut' },
    description,
  ],
  recipes: [
    id,
    { title: 'STATUS', field: 'status' },
    { title: 'THRESHOLD', field: 'threshold', align: 'right' },
    { title: 'RULES', field: 'rules', align: 'right' },
    name,
    description,
  ],
  flows: [id, { title: 'RECIPES', field: 'recipes', align: 'right' }, name],
}

/** A line for each of them; a column that none of them has is left out. */
export function resourceTable(
  kind: Kind,
  items: readonly Body[],
  screen: Screen,
): readonly string[] {
  if (items.length === 0) return [`No ${kind}.`]
  const used = columns[kind].filter(({ field }) => items.some((item) => field in item))
  const rows = items.map((item) => used.map(({ field }) => textOf(item[field])))
  return table(used, rows, screen)
}

/** One resource, or what was answered of it, as YAML. */
export function resourceLines(body: Body): readonly string[] {
  return [printableLines(stringify(body, { lineWidth: 0 }).trimEnd())]
}

/** A line for each version. */
export function versionTable(versions: readonly Body[], screen: Screen): readonly string[] {
  const titles: readonly Column[] = [
    { title: '' },
    { title: 'VERSION' },
    { title: 'CREATED' },
    { title: 'BY' },
    { title: 'NAME', widthMax: 72, narrow: 'wrap' },
  ]
  const rows = versions.map((version) => [
    version['current'] === true ? '*' : '',
    ...['version_id', 'created_at', 'created_by', 'name'].map((field) => textOf(version[field])),
  ])
  return table(titles, rows, screen)
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? String(value.length) : String(value).replace(/\s+/g, ' ')
}
