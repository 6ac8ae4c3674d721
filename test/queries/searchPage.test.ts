import { beforeEach, describe, expect, test } from 'vitest'
import { defineCollection } from '../../src/projections/running/projection.ts'
import { type DocumentSearch, searchPage } from '../../src/queries/reading/page.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { commitTo, memoryReadStore } from '../projections/memoryReadStore.ts'

interface Thing {
  readonly account: string
  readonly time: number
  readonly at: number
  readonly owner?: string
  readonly colour: string
}

const things = defineCollection<Thing>({
  projection: { name: 'things', version: 1 },
  indexes: [
    ['account', 'time'],
    ['owner', 'time'],
  ],
})

let store: ReadStore
let asked: (readonly [where: unknown, limit: number])[]
const readers = () => ({
  documents: {
    ...store,
    find: (...[collection, find]: Parameters<ReadStore['find']>) => {
      asked.push([find.where, find.limit])
      return store.find(collection, find)
    },
  },
  projections: { active: () => 1, passed: () => Number.MAX_SAFE_INTEGER },
})

beforeEach(async () => {
  store = memoryReadStore()
  asked = []
  await store.prepare([things])
})

/** Things of these, one after the other. */
const keep = (count: number, of: (index: number) => Partial<Thing>) =>
  commitTo(
    store,
    Array.from({ length: count }, (_, index) => ({
      collection: things,
      id: `thing_${String(index).padStart(6, '0')}`,
      position: index + 1,
      body: { account: 'a', time: index, at: index + 1, colour: 'red', ...of(index) },
    })),
    { projection: 'things', version: 1, position: count, ready: true, collections: ['things'] },
  )

const search = (change: Partial<DocumentSearch<Thing>>) =>
  searchPage(readers(), things, {
    equal: { account: 'a' },
    order: 'oldest',
    limit: 10,
    ...change,
  })

async function all(change: Partial<DocumentSearch<Thing>>): Promise<readonly number[]> {
  const times: number[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await search({ ...change, ...(cursor !== undefined && { cursor }) })
    times.push(...page.items.map(({ body }) => body.time))
    cursor = page.nextCursor
    if (cursor === undefined) return times
  }
}

describe('a search', () => {
  test('asks by the index that tells most, and looks at the rest itself', async () => {
    await keep(4, (index) => ({
      owner: index < 2 ? 'ann' : 'bob',
      colour: index % 2 ? 'red' : 'blue',
    }))

    const times = await all({ equal: { account: 'a', owner: 'bob', colour: 'red' } })

    expect(times).toEqual([3])
    expect(asked.map(([where]) => where)).toEqual([{ owner: 'bob' }])
  })

  test('looks at 1,000 documents and no more, 50 at a time, and says where it goes on', async () => {
    await keep(2_100, (index) => ({ colour: index === 2_050 ? 'blue' : 'red' }))

    const first = await search({ equal: { account: 'a', colour: 'blue' } })

    expect(first.items).toEqual([])
    expect(first.nextCursor).toBeDefined()
    expect(asked.map(([, limit]) => limit)).toEqual(Array(20).fill(50))
    expect(await all({ equal: { account: 'a', colour: 'blue' } })).toEqual([2_050])
  })

  test.each([1, 49, 50, 51, 100, 101])(
    'of %i documents finds each once, whatever the page',
    async (count) => {
      await keep(count, () => ({}))
      const expected = Array.from({ length: count }, (_, index) => index)

      for (const limit of [1, 7, 50, 200]) expect(await all({ limit })).toEqual(expected)
      expect(await all({ order: 'newest', limit: 50 })).toEqual(expected.toReversed())
    },
  )

  test('that ends with its last page has no cursor', async () => {
    await keep(10, () => ({}))

    expect(await search({ limit: 10 })).not.toHaveProperty('nextCursor')
    expect(await search({ limit: 9 })).toHaveProperty('nextCursor')
    expect(await search({ fromMs: 3, toMs: 5, limit: 2 })).not.toHaveProperty('nextCursor')
  })

  test('of documents of another account by a known digest finds none', async () => {
    await keep(3, () => ({ account: 'b', owner: 'ann' }))

    expect(await all({ equal: { account: 'a', owner: 'ann' } })).toEqual([])
  })

  test('without an index for it is a mistake of the program', async () => {
    await expect(search({ equal: { colour: 'red' } })).rejects.toThrow('has no index')
  })
})
