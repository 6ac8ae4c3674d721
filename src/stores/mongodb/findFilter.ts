/** Translates a query to a collection into a MongoDB filter and sort. */

import type { Filter } from 'mongodb'
import { type FindShape, findShape, isRange, prefixEnd } from '../findShape.ts'
import type { Collection, Find } from '../readStore.ts'
import { type KeptDocument, notDeleted } from './keptDocument.ts'

type Condition = Filter<KeptDocument>

export interface FindFilter {
  readonly filter: Condition
  readonly sort: Readonly<Record<string, 1 | -1>>
}

/** The filter and the order of a question. Throws like `findShape`. */
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
  // an operator may stand for the bounds and for the prefix: each is a condition of its own
  return {
    $and: [...operators, ...within].map(([name, bound]) => ({
      [field]: { [String(name)]: bound },
    })),
  }
}

/** Documents behind this place: a later first value, or the same one and a later second, and so on. */
function afterOf(
  { order, descending }: FindShape,
  { id, values }: NonNullable<Find['after']>,
): readonly Condition[] {
  const later = descending ? '$lt' : '$gt'
  const fields = order.map(fieldFor)
  const place = [...values, id]
  const ways = fields.map((field, at) => ({
    ...Object.fromEntries(fields.slice(0, at).map((one, index) => [one, place[index]])),
    [field]: { [later]: place[at] },
  }))
  const [first = '_id'] = fields
  // said beside the ways, so that the index is entered at the place
  return [{ [first]: { [`${later}e`]: place[0] } }, { $or: ways }]
}
