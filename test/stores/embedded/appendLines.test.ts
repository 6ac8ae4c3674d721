import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendLines } from '../../../src/stores/embedded/appendQueue.ts'

interface One {
  readonly account: string | undefined
  readonly bytes: number
  readonly number: number
}

function linesOf(all: readonly Omit<One, 'number'>[]) {
  const lines = appendLines<One>()
  const ones = all.map((one, number) => ({ ...one, number }))
  for (const one of ones) lines.add(one)
  return { lines, ones }
}

const some = fc.array(
  fc.record({
    account: fc.constantFrom('a', 'b', 'c', undefined),
    bytes: fc.integer({ min: 1, max: 300 }),
  }),
  { maxLength: 60 },
)
const limits = { batchMax: 8, batchBytesMax: 400 }

test('every append is taken once, those of an account in their order, in batches within their limits', () =>
  fc.assert(
    fc.property(some, (all) => {
      const { lines, ones } = linesOf(all)
      const taken: One[] = []

      while (!lines.isEmpty()) {
        const batch = lines.take(limits)
        expect(batch.length).toBeGreaterThan(0)
        expect(batch.length).toBeLessThanOrEqual(limits.batchMax)
        const bytes = batch.reduce((sum, one) => sum + one.bytes, 0)
        if (batch.length > 1) expect(bytes).toBeLessThanOrEqual(limits.batchBytesMax)
        taken.push(...batch)
      }

      for (const account of ['a', 'b', 'c', undefined]) {
        const of = (from: readonly One[]) => from.filter((one) => one.account === account)
        expect(of(taken)).toEqual(of(ones))
      }
      expect(lines.take(limits)).toEqual([])
    }),
  ))

test('given much of one account, when another comes, then it is in the first batch or the one behind', () =>
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 40 }),
      (greedy) => {
        const { lines } = linesOf([
          ...greedy.map((bytes) => ({ account: 'greedy', bytes })),
          { account: 'other', bytes: 100 },
        ])

        const both = [...lines.take(limits), ...lines.take(limits)]

        expect(both.map(({ account }) => account)).toContain('other')
      },
    ),
  ))

test('given appends that fill a batch each, when others come all the time, then they are taken in turn', () => {
  const { lines } = linesOf([{ account: 'large', bytes: 1_000 }])
  const order: (string | undefined)[] = []

  for (let round = 0; round < 6; round += 1) {
    lines.add({ account: 'large', bytes: 1_000, number: 0 })
    lines.add({ account: 'small', bytes: 390, number: 0 })
    order.push(...lines.take(limits).map(({ account }) => account))
  }

  expect(order).toEqual(['large', 'small', 'large', 'small', 'large', 'small'])
})

test('given some, when all are taken, then none is left', () => {
  const { lines } = linesOf([
    { account: 'a', bytes: 1 },
    { account: 'b', bytes: 1 },
    { account: 'a', bytes: 1 },
  ])

  expect(lines.takeAll().map(({ number }) => number)).toEqual([0, 2, 1])
  expect(lines.isEmpty()).toBe(true)
})
