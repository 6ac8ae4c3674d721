import { expect, test } from 'vitest'
import {
  type CircuitBreakers,
  circuitBreakers,
} from '../../src/commands/sessions/migration/circuitBreakers.ts'

const fail = (breakers: CircuitBreakers, times: number, nowMs = 0): void => {
  for (let time = 0; time < times; time += 1) breakers.attempt('shop', nowMs)?.failed(nowMs)
}
const mayAsk = (breakers: CircuitBreakers, nowMs: number, key = 'shop'): boolean =>
  breakers.attempt(key, nowMs) !== undefined

test('who fails now and then is asked on', () => {
  const breakers = circuitBreakers()

  fail(breakers, 4)
  breakers.attempt('shop', 0)?.succeeded()
  fail(breakers, 4)

  expect(mayAsk(breakers, 0)).toBe(true)
  expect(breakers.pauseMs('shop', 0)).toBe(0)
})

test('who fails five times in a row is left alone for a while, and nobody else is', () => {
  const breakers = circuitBreakers()

  fail(breakers, 5)

  expect(mayAsk(breakers, 4_999)).toBe(false)
  expect(breakers.pauseMs('shop', 3_000)).toBe(2_000)
  expect(mayAsk(breakers, 4_999, 'other')).toBe(true)
})

test('after the pause it is tried by one alone', () => {
  const breakers = circuitBreakers()
  fail(breakers, 5)

  const trial = breakers.attempt('shop', 5_000)
  expect(mayAsk(breakers, 5_000)).toBe(false)
  trial?.succeeded()

  expect(mayAsk(breakers, 5_001)).toBe(true)
  expect(mayAsk(breakers, 5_001)).toBe(true)
})

test('a try that says nothing is followed by another, and the next failure by a longer pause', () => {
  const breakers = circuitBreakers()
  fail(breakers, 5)

  breakers.attempt('shop', 5_000)?.inconclusive()
  expect(breakers.pauseMs('shop', 5_000)).toBe(0)
  fail(breakers, 1, 5_000)

  expect(breakers.pauseMs('shop', 5_000)).toBe(10_000)
})

test('each try that fails doubles the pause, to a minute at most', () => {
  const breakers = circuitBreakers()
  fail(breakers, 5)
  const pauses: number[] = []
  let nowMs = 0
  for (let failures = 6; failures < 12; failures += 1) {
    nowMs += breakers.pauseMs('shop', nowMs)
    fail(breakers, 1, nowMs)
    pauses.push(breakers.pauseMs('shop', nowMs))
  }

  expect(pauses).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
})

test('those that were under way together begin one pause, the first', () => {
  const breakers = circuitBreakers()

  const together = Array.from({ length: 16 }, () => breakers.attempt('shop', 0))
  for (const attempt of together) attempt?.failed(2_000)

  expect(breakers.pauseMs('shop', 2_000)).toBe(5_000)
})

test('a try whose outcome nobody said is followed by another one', () => {
  const breakers = circuitBreakers()
  fail(breakers, 5)

  expect(mayAsk(breakers, 5_000)).toBe(true)
  expect(mayAsk(breakers, 9_999)).toBe(false)
  expect(mayAsk(breakers, 10_000)).toBe(true)
})
