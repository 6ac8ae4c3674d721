/** A question to a collection as SQL: only what one of its indexes answers. */

import type { Collection, Find, Range } from '../readStore.ts'
import { columnOf, tableOf } from './readStoreTables.ts'
import type { SqlValue } from './sqlite.ts'

const limitMax = 1_000

/** Documents loaded at a time. */
export const idsMax = 1_000

export interface FindQuery {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

interface Part {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** The SQL of a question. Throws an `Error` when no declared index answers it, or the limit is not from 1 to 1,000. */
export function findQuery(collection: Collection, find: Find): FindQuery {
  if (!Number.isInteger(find.limit) || find.limit < 1 || find.limit > limitMax) {
    throw new Error(`limit must be a whole number from 1 to ${limitMax}`)
  }
  const { fields, descending } = sortOf(find)
  assertIndexed(collection, find, fields)
  const order = [...fields.map(columnFor), 'id']
  const parts = [
    ...Object.entries(find.where).flatMap(([field, value]) =>
      conditionsOf(columnFor(field), value),
    ),
    ...(find.after ? [afterOf(order, find.after, descending)] : []),
  ]
  const where = ['body IS NOT NULL', ...parts.map((part) => part.sql)].join(' AND ')
  const by = order.map((column) => (descending ? `${column} DESC` : column)).join(', ')
  return {
    sql: `SELECT id, position, body FROM ${tableOf(collection)} WHERE ${where} ORDER BY ${by} LIMIT ?`,
    values: [...parts.flatMap((part) => part.values), find.limit],
  }
}

function sortOf(find: Find): { readonly fields: readonly string[]; readonly descending: boolean } {
  const sort = find.sort ?? []
  const falling = sort.filter((field) => field.startsWith('-')).length
  if (falling !== 0 && falling !== sort.length) throw new Error('a sort goes in one direction')
  return { fields: sort.map((field) => field.replace(/^-/, '')), descending: falling > 0 }
}

function assertIndexed(collection: Collection, find: Find, sorted: readonly string[]): void {
  const entries = Object.entries(find.where)
  const equal = entries.filter(([, value]) => !isRange(value)).map(([field]) => field)
  const ranged = entries.filter(([, value]) => isRange(value)).map(([field]) => field)
  const byId = sorted.length === 0 && entries.every(([field]) => field === 'id')
  const ordered = ranged.every((field) => field === sorted[0])
  if (byId || (ordered && collection.indexes.some((index) => answers(index, equal, sorted)))) return
  throw new Error(
    `collection ${collection.name} has no index for equality on [${equal}], range on [${ranged}], sort by [${sorted}]`,
  )
}

function answers(
  index: readonly string[],
  equal: readonly string[],
  sorted: readonly string[],
): boolean {
  const head = new Set(index.slice(0, equal.length))
  const exact = sorted.length > 0 || index.length === equal.length
  return (
    exact &&
    equal.every((field) => head.has(field)) &&
    sorted.every((field, at) => index[equal.length + at] === field)
  )
}

function columnFor(field: string): string {
  return field === 'id' ? 'id' : columnOf(field)
}

function isRange(value: Find['where'][string]): value is Range {
  return typeof value === 'object'
}

function conditionsOf(column: string, value: Find['where'][string]): readonly Part[] {
  if (!isRange(value)) return [{ sql: `${column} = ?`, values: [scalar(value)] }]
  const { prefix, ...bounds } = value
  const parts = Object.entries(bounds).map(([name, bound]) => ({
    sql: `${column} ${operators[name as keyof typeof operators]} ?`,
    values: [bound],
  }))
  return prefix === undefined ? parts : [...parts, prefixOf(column, prefix)]
}

const operators = { gte: '>=', gt: '>', lt: '<', lte: '<=' } as const

/** No text goes on after the last code point there is. */
function prefixOf(column: string, prefix: string): Part {
  return { sql: `${column} >= ? AND ${column} < ?`, values: [prefix, `${prefix}\u{10ffff}`] }
}

function afterOf(
  order: readonly string[],
  after: NonNullable<Find['after']>,
  descending: boolean,
): Part {
  if (after.values.length !== order.length - 1) {
    throw new Error('`after` needs a value for every field of the sort')
  }
  const marks = order.map(() => '?').join(', ')
  return {
    sql: `(${order.join(', ')}) ${descending ? '<' : '>'} (${marks})`,
    values: [...after.values, after.id],
  }
}

function scalar(value: string | number | boolean): SqlValue {
  return typeof value === 'boolean' ? Number(value) : value
}
