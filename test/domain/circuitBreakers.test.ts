import { expect, test } from 'vitest'
import { circuitBreakers } from '../../src/domain/circuitBreakers.ts'

const fail = (breakers: ReturnType<typeof circuitBreakers>, times: number, nowMs = 0): void => {
  for (let time = 0; time < times; time += 1) breakers.failed('shop', nowMs)
}

test('who fails now and then is asked on', () => {
  const breakers = circuitBreakers()

  fail(breakers, 4)
  breakers.succeeded('shop')
  fail(breakers, 4)

  expect(breakers.mayAsk('shop', 0)).toBe(true)
  expect(breakers.pauseMs('shop', 0)).toBe(0)
})

test('who fails five times in a row is left alone for a while, and nobody else is', () => {
  const breakers = circuitBreakers()

  fail(breakers, 5)

  expect(breakers.mayAsk('shop', 4_999)).toBe(false)
  expect(breakers.pauseMs('shop', 3_000)).toBe(2_000)
  expect(breakers.mayAsk('other', 4_999)).toBe(true)
})

test('after the pause it is tried by one alone', () => {
  const breakers = circuitBreakers()
  fail(breakers, 5)

  expect(breakers.mayAsk('shop', 5_000)).toBe(true)
  expect(breakers.mayAsk('shop', 5_000)).toBe(false)
  breakers.succeeded('shop')

  expect(breakers.mayAsk('shop', 5_001)).toBe(true)
  expect(breakers.mayAsk('shop', 5_001)).toBe(true)
})

test('each try that fails doubles the pause, to a minute at most', () => {
  const breakers = circuitBreakers()
  fail(breakers, 5)
  const pauses: number[] = []
  for (let failures = 6; failures < 12; failures += 1) {
    breakers.failed('shop', 0)
    pauses.push(breakers.pauseMs('shop', 0))
  }

  expect(pauses).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
})

test('a try whose outcome nobody said is followed by another one', () => {
  const breakers = circuitBreakers()
  fail(breakers, 5)

  expect(breakers.mayAsk('shop', 5_000)).toBe(true)
  expect(breakers.mayAsk('shop', 9_999)).toBe(false)
  expect(breakers.mayAsk('shop', 10_000)).toBe(true)
})
