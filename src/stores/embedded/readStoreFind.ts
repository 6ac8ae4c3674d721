/** A question to a collection as SQL. */

import { type FindShape, findShape, isRange, prefixEnd } from '../findShape.ts'
import type { Collection, Find } from '../readStore.ts'
import { columnOf, tableOf } from './readStoreTables.ts'
import type { SqlValue } from './sqlite.ts'

/** What a document is read of. */
const documentColumns = 'id, position, body'

export interface FindQuery {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

interface Part {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** The SQL of a question. Throws like `findShape`. */
export function findQuery(collection: Collection, find: Find): FindQuery {
  const shape = findShape(collection, find)
  const { descending } = shape
  const parts = [
    ...Object.entries(find.where).flatMap(([field, value]) =>
      conditionsOf(columnFor(field), value),
    ),
    ...(find.after ? [afterOf(shape, find.after)] : []),
  ]
  const where = ['body IS NOT NULL', ...parts.map((part) => part.sql)].join(' AND ')
  const by = shape.order
    .map(columnFor)
    .map((column) => (descending ? `${column} DESC` : column))
    .join(', ')
  return {
    sql: `SELECT ${documentColumns} FROM ${tableOf(collection)} WHERE ${where} ORDER BY ${by} LIMIT ?`,
    values: [...parts.flatMap((part) => part.values), find.limit],
  }
}

function columnFor(field: string): string {
  return field === 'id' ? 'id' : columnOf(field)
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

function prefixOf(column: string, prefix: string): Part {
  return { sql: `${column} >= ? AND ${column} < ?`, values: [prefix, prefixEnd(prefix)] }
}

function afterOf({ order, descending }: FindShape, after: NonNullable<Find['after']>): Part {
  const marks = order.map(() => '?').join(', ')
  return {
    sql: `(${order.map(columnFor).join(', ')}) ${descending ? '<' : '>'} (${marks})`,
    values: [...after.values, after.id],
  }
}

function scalar(value: string | number | boolean): SqlValue {
  return typeof value === 'boolean' ? Number(value) : value
}
