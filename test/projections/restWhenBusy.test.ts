import { expect, test } from 'vitest'
import { restWhenBusy } from '../../src/projections/running/restWhenBusy.ts'

test('single events one after the other are never kept waiting', () => {
  const rest = restWhenBusy(25)

  const rests = Array.from({ length: 500 }, (_, index) => rest(1, index * 3))

  expect(new Set(rests)).toEqual(new Set([0]))
})

test('many events in small batches make it rest, until they stop', () => {
  const rest = restWhenBusy(25)

  const rests = Array.from({ length: 50 }, (_, index) => rest(10, index * 5))

  expect(rests.at(0)).toBe(0)
  expect(rests.at(-1)).toBe(25)
  expect(rest(1, 50 * 5 + 1_000)).toBe(0)
})

test('a backlog is worked off without rest', () => {
  const rest = restWhenBusy(25)

  const rests = Array.from({ length: 50 }, (_, index) => rest(500, index))

  expect(new Set(rests)).toEqual(new Set([0]))
})

test('a clock that goes back does no harm', () => {
  const rest = restWhenBusy(25)

  rest(60, 1_000)

  expect(rest(1, 0)).toBe(0)
})
