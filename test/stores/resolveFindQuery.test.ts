/** What a store is asked for a page: nothing by which it would go through the pages before it again. */

import { describe, expect, test } from 'vitest'
import type { Collection, FindQuery } from '../../src/stores/readStore.ts'
import { resolveFindQuery } from '../../src/stores/resolveFindQuery.ts'

const visits: Collection = { name: 'visits', version: 1, indexes: [['account', 'time']] }

/** The ends of the range that the store is told of. */
function ends(sort: string, time: FindQuery['where'][string], last: number): readonly string[] {
  const after = { id: 'v1', values: [last] }
  const find = { where: { account: 'a', time }, sort: [sort], after, limit: 10 }
  const { conditions } = resolveFindQuery(visits, find)
  return conditions.flatMap(({ field, operator, value }) =>
    field === 'time' ? [`${operator} ${value}`] : [],
  )
}

describe('a page of a range, behind others', () => {
  test('begins where the last one ended, not where the range begins', () => {
    expect(ends('-time', { gte: 10, lt: 90 }, 50)).toEqual(['gte 10'])
    expect(ends('-time', { gt: 10, lte: 50 }, 50)).toEqual(['gt 10'])
    expect(ends('time', { gte: 10, lt: 90 }, 50)).toEqual(['lt 90'])
    expect(ends('time', { gt: 50, lte: 90 }, 50)).toEqual(['lte 90'])
  })

  test('keeps an end that what it continues after is not within', () => {
    expect(ends('-time', { gte: 10, lt: 90 }, 99)).toEqual(['gte 10', 'lt 90'])
    expect(ends('time', { gte: 10, lt: 90 }, 5)).toEqual(['gte 10', 'lt 90'])
  })

  test('by id begins behind the id', () => {
    const { conditions } = resolveFindQuery(visits, {
      where: { id: { prefix: 'acc_a/' } },
      after: { id: 'acc_a/5', values: [] },
      limit: 10,
    })

    expect(conditions).toEqual([{ field: 'id', operator: 'lt', value: 'acc_a/\u{10ffff}' }])
  })
})
