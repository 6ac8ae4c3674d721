/** Translates a query to a collection into a MongoDB filter and sort. */

import type { Filter } from 'mongodb'
import { type FindShape, findShape, isRange, prefixEnd } from '../findShape.ts'
import type { Collection, Find } from '../readStore.ts'
import { type MongoDocument, notDeleted } from './documents.ts'

type Condition = Filter<MongoDocument>

export interface FindFilter {
  readonly filter: Condition
  readonly sort: Readonly<Record<string, 1 | -1>>
}

/** The filter and the order of a query. Throws like `findShape`. */
export function findFilter(collection: Collection, find: Find): FindFilter {
  const shape = findShape(collection, find)
  const direction = shape.descending ? -1 : 1
  const conditions = [
    ...Object.entries(find.where).map(([field, value]) => conditionOf(fieldFor(field), value)),
    ...(find.after ? afterOf(shape, find.after) : []),
  ]
  return {
    filter: { $and: [...conditions, notDeleted] },
    sort: Object.fromEntries(shape.order.map((field) => [fieldFor(field), direction])),
  }
}

function fieldFor(field: string): string {
  return field === 'id' ? '_id' : field
}

function conditionOf(field: string, value: Find['where'][string]): Condition {
  if (!isRange(value)) return { [field]: value }
  const { prefix, ...bounds } = value
  const operators = Object.entries(bounds).map(([name, bound]) => [`$${name}`, bound])
  const within =
    prefix === undefined
      ? []
      : [
          ['$gte', prefix],
          ['$lt', prefixEnd(prefix)],
        ]
  // bounds and prefix may use the same operator: each is a condition of its own
  return {
    $and: [...operators, ...within].map(([name, bound]) => ({
      [field]: { [String(name)]: bound },
    })),
  }
}

/** Documents after this one: a later first value, or the same one and a later second, and so on. */
function afterOf(
  { order, descending }: FindShape,
  { id, values }: NonNullable<Find['after']>,
): readonly Condition[] {
  const after = descending ? '$lt' : '$gt'
  const fields = order.map(fieldFor)
  const last = [...values, id]
  const alternatives = fields.map((field, at) => ({
    ...Object.fromEntries(fields.slice(0, at).map((one, index) => [one, last[index]])),
    [field]: { [after]: last[at] },
  }))
  const [first = '_id'] = fields
  // redundant, so that the index is entered at that document
  return [{ [first]: { [`${after}e`]: last[0] } }, { $or: alternatives }]
}
