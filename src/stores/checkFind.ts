/** Validates queries for every read store against its declared indexes; resolves sort order. */

import type { Collection, FindQuery, Range } from './readStore.ts'

const limitMax = 1_000

/** Documents loaded at a time. */
const idsMax = 1_000

export interface SortOrder {
  /** Fields of the sort without their direction, then `id`. */
  readonly order: readonly string[]
  readonly descending: boolean
}

/**
 * The sort order of a query. Throws an `Error` when no declared index answers it, the limit is not from 1 to 1,000, or `after` does not
 * match that order.
 */
export function checkFind(collection: Collection, find: FindQuery): SortOrder {
  if (!Number.isInteger(find.limit) || find.limit < 1 || find.limit > limitMax) {
    throw new Error(`limit must be a whole number from 1 to ${limitMax}`)
  }
  const { fields, descending } = sortOf(find)
  assertIndexed(collection, find, fields)
  if (find.after && find.after.values.length !== fields.length) {
    throw new Error('`after` needs a value for every field of the sort')
  }
  return { order: [...fields, 'id'], descending }
}

/** Throws an `Error` for more than 1,000 ids. */
export function checkLoad(ids: readonly string[]): void {
  if (ids.length > idsMax) throw new Error(`at most ${idsMax} documents are loaded at a time`)
}

export function isRange(value: FindQuery['where'][string]): value is Range {
  return typeof value === 'object'
}

/** The upper bound of the texts with a prefix: the prefix and the last code point. */
export function prefixEnd(prefix: string): string {
  return `${prefix}\u{10ffff}`
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

function assertIndexed(collection: Collection, find: FindQuery, sorted: readonly string[]): void {
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
