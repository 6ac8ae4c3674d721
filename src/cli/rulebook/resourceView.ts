/** Prints rules, recipes and flows, and their versions. */

import { stringify } from 'yaml'
import type { Body } from '../connecting/client.ts'
import { printableLines, type Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'
import type { ResourceKind } from './folder/kind.ts'

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
const columns: Readonly<Record<ResourceKind, readonly FieldColumn[]>> = {
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
  kind: ResourceKind,
  items: readonly Body[],
  screen: Screen,
): readonly string[] {
  if (items.length === 0) return [`No ${kind}.`]
  const used = columns[kind].filter(({ field }) => items.some((item) => field in item))
  const rows = items.map((item) => used.map(({ field }) => textOf(item[field])))
  return table(used, rows, screen)
}

/** The lines of one resource, or of an answer about it, as YAML. */
export function resourceLines(body: Body): readonly string[] {
  return [printableLines(stringify(body, { lineWidth: 0 }).trimEnd())]
}

const changeColumns: readonly FieldColumn[] = [
  { title: 'CHANGED', field: 'changed_at' },
  { title: 'BY', field: 'changed_by' },
  { title: 'CHANGE', field: 'change' },
  { title: 'STATUS', field: 'status' },
  { title: 'VERSION', field: 'version_id' },
  name,
  description,
]

/** A line per change, newest first; a star marks the current version. */
export function versionTable(changes: readonly Body[], screen: Screen): readonly string[] {
  const used = changeColumns.filter(({ field }) => changes.some((change) => field in change))
  const star = changes.findIndex(
    (one) =>
      one['current'] === true && (one['change'] === 'created' || one['change'] === 'restored'),
  )
  const rows = changes.map((change, at) => [
    at === star ? '*' : '',
    ...used.map(({ field }) => shownChange(field, change[field])),
  ])
  return table([{ title: '' }, ...used], rows, screen)
}

function shownChange(field: string, value: unknown): string {
  return field === 'change' ? textOf(value).replace('_', ' ') : textOf(value)
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? String(value.length) : String(value).replace(/\s+/g, ' ')
}
