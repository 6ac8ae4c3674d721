/** Resolves a query for every read store: conditions, sort order, and the index that answers it. */

import type { Collection, FindQuery } from './readStore.ts'

const limitMax = 1_000

/** Documents loaded at a time. */
const idsMax = 1_000

interface Condition {
  readonly field: string
  readonly operator: 'eq' | 'gte' | 'gt' | 'lt' | 'lte'
  readonly value: string | number | boolean
}

export interface ResolvedFind {
  /** All of which hold. */
  readonly conditions: readonly Condition[]
  /** Fields of the sort without their direction, then `id`. */
  readonly order: readonly string[]
  readonly descending: boolean
}

/**
 * Throws an `Error` when no declared index answers the query, the limit is not from 1 to 1,000, or `after` does not
 * match its sort.
 */
export function resolveFindQuery(collection: Collection, find: FindQuery): ResolvedFind {
  if (!Number.isInteger(find.limit) || find.limit < 1 || find.limit > limitMax) {
    throw new Error(`limit must be a whole number from 1 to ${limitMax}`)
  }
  const { fields, descending } = sortOf(find)
  const conditions = Object.entries(find.where).flatMap(([field, value]) =>
    conditionsOn(field, value),
  )
  assertIndexed(collection, conditions, fields)
  if (find.after && find.after.values.length !== fields.length) {
    throw new Error('`after` needs a value for every field of the sort')
  }
  const order = [...fields, 'id']
  const [first = 'id'] = order
  const isPassed = (one: Condition): boolean =>
    find.after !== undefined && one.field === first && isBehind(one, find.after, descending)
  return { conditions: conditions.filter((one) => !isPassed(one)), order, descending }
}

/**
 * Whether the end of a range, at which a query begins, lies behind what it continues after: a store that sought by it
 * would go through all pages before again.
 */
function isBehind(
  { operator, value }: Condition,
  { id, values: [last = id] }: NonNullable<FindQuery['after']>,
  descending: boolean,
): boolean {
  const isBeginning = descending ? /^lte?$/ : /^gte?$/
  if (!isBeginning.test(operator) || typeof value !== typeof last) return false
  return descending ? value >= last : value <= last
}

/** Throws an `Error` for more than 1,000 ids. */
export function checkLoad(ids: readonly string[]): void {
  if (ids.length > idsMax) throw new Error(`at most ${idsMax} documents are loaded at a time`)
}

/** A prefix is the range up to the prefix with the last code point. */
function conditionsOn(field: string, value: FindQuery['where'][string]): readonly Condition[] {
  if (typeof value !== 'object') return [{ field, operator: 'eq', value }]
  const { prefix, ...bounds } = value
  const conditions = Object.entries(bounds).map(([operator, bound]) => ({
    field,
    operator: operator as keyof typeof bounds,
    value: bound,
  }))
  if (prefix === undefined) return conditions
  const end = `${prefix}\u{10ffff}`
  return [
    ...conditions,
    { field, operator: 'gte', value: prefix },
    { field, operator: 'lt', value: end },
  ]
}

function sortOf(find: FindQuery): {
  readonly fields: readonly string[]
  readonly descending: boolean
} {
  const sort = find.sort ?? []
  const falling = sort.filter((field) => field.startsWith('-')).length
  if (falling !== 0 && falling !== sort.length) throw new Error('a sort goes in one direction')
  return { fields: sort.map((field) => field.replace(/^-/, '')), descending: falling > 0 }
}

function assertIndexed(
  { name, indexes }: Collection,
  conditions: readonly Condition[],
  sorted: readonly string[],
): void {
  const isEqual = ({ operator }: Condition) => operator === 'eq'
  const equal = conditions.filter(isEqual).map(({ field }) => field)
  const ranged = conditions.filter((one) => !isEqual(one)).map(({ field }) => field)
  const byId = sorted.length === 0 && conditions.every(({ field }) => field === 'id')
  const ordered = ranged.every((field) => field === sorted[0])
  if (byId || (ordered && indexes.some((index) => answers(index, equal, sorted)))) return
  throw new Error(
    `collection ${name} has no index for equality on [${equal}], range on [${ranged}], sort by [${sorted}]`,
  )
}

function answers(index: readonly string[], equal: readonly string[], sorted: readonly string[]) {
  const head = new Set(index.slice(0, equal.length))
  const exact = sorted.length > 0 || index.length === equal.length
  return (
    exact &&
    equal.every((field) => head.has(field)) &&
    sorted.every((field, at) => index[equal.length + at] === field)
  )
}
