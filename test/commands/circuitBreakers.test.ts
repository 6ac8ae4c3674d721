import { beforeEach, expect, test } from 'vitest'
import {
  type CircuitBreakers,
  openCircuitBreakers,
} from '../../src/commands/sessions/migration/limitCustomerCalls.ts'

let breakers: CircuitBreakers

beforeEach(() => {
  breakers = openCircuitBreakers()
})

const fail = (times: number, nowMs = 0): void => {
  for (let time = 0; time < times; time += 1) breakers.recordFailure('shop', nowMs)
}

test('who fails now and then is asked on', () => {
  fail(4)
  breakers.recordSuccess('shop')
  fail(4)

  expect(breakers.pauseMs('shop', 0)).toBe(0)
})

test('who fails five times in a row is left alone for a while, and nobody else is', () => {
  fail(5)

  expect([0, 3_000, 5_000].map((nowMs) => breakers.pauseMs('shop', nowMs))).toEqual([
    5_000, 2_000, 0,
  ])
  expect(breakers.pauseMs('other', 0)).toBe(0)
})

test('each failure after a pause doubles it, to a minute at most; an answer ends it', () => {
  fail(5)
  const pauses: number[] = []
  let nowMs = 0
  for (let failures = 6; failures < 12; failures += 1) {
    nowMs += breakers.pauseMs('shop', nowMs)
    fail(1, nowMs)
    pauses.push(breakers.pauseMs('shop', nowMs))
  }
  breakers.recordSuccess('shop')

  expect(pauses).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  expect(breakers.pauseMs('shop', nowMs)).toBe(0)
})

test('calls that were under way together begin one pause, the first', () => {
  fail(16)

  expect(breakers.pauseMs('shop', 0)).toBe(5_000)
})
