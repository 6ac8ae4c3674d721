/** How rules, recipes and flows are shown. */

import { stringify } from 'yaml'
import type { Body } from '../client.ts'
import type { Kind } from '../folder/kind.ts'
import type { Paint } from '../paint.ts'
import { printableLines } from '../printable.ts'
import { type Column, table } from '../table.ts'

const columns: Readonly<Record<Kind, readonly Column[]>> = {
  rules: [{ title: 'ID' }, { title: 'NAME', widthMax: 48 }, { title: 'EXPRESSION', widthMax: 72 }],
  recipes: [
    { title: 'ID' },
    { title: 'STATUS' },
    { title: 'THRESHOLD', align: 'right' },
    { title: 'RULES', align: 'right' },
    { title: 'NAME', widthMax: 72 },
  ],
  flows: [{ title: 'ID' }, { title: 'RECIPES', align: 'right' }, { title: 'NAME', widthMax: 72 }],
}

/** A line for each of them. */
export function shelfTable(kind: Kind, items: readonly Body[], paint: Paint): readonly string[] {
  if (items.length === 0) return [`No ${kind}.`]
  return table(
    columns[kind],
    items.map((item) => rowOf(kind, item)),
    paint,
  )
}

function rowOf(kind: Kind, item: Body): readonly string[] {
  const id = textOf(item['id'])
  const name = textOf(item['name'])
  if (kind === 'rules') return [id, name, textOf(item['expression']).replace(/\s+/g, ' ')]
  if (kind === 'flows') return [id, countOf(item['recipes']), name]
  return [id, textOf(item['status']), textOf(item['threshold']), countOf(item['rules']), name]
}

/** One thing, or what was answered of it, as YAML. */
export function thingLines(body: Body): readonly string[] {
  return [printableLines(stringify(body, { lineWidth: 0 }).trimEnd())]
}

/** A line for each version. */
export function versionTable(versions: readonly Body[], paint: Paint): readonly string[] {
  const titles: readonly Column[] = [
    { title: '' },
    { title: 'VERSION' },
    { title: 'CREATED' },
    { title: 'BY' },
    { title: 'NAME', widthMax: 72 },
  ]
  const rows = versions.map((version) => [
    version['current'] === true ? '*' : '',
    ...['version_id', 'created_at', 'created_by', 'name'].map((field) => textOf(version[field])),
  ])
  return table(titles, rows, paint)
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}

function countOf(value: unknown): string {
  return String(Array.isArray(value) ? value.length : 0)
}
