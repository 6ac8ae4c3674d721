import fc from 'fast-check'
import { LRUCache } from 'lru-cache'
import { describe, expect, test } from 'vitest'
import { type Bucket, openRateLimiter } from '../../src/http/middleware/limitRates.ts'

function limiterAt(perSecond: number, burst: number, heldMax = 1_000) {
  let time = 0
  const { take } = openRateLimiter(
    { perSecond, burst },
    () => time,
    new LRUCache<string, Bucket>({ max: heldMax }),
  )
  const pass = (ms: number) => {
    time += ms
  }
  const allowed = (count: number, token = 'a') =>
    Array.from({ length: count }, () => take(token)).filter((standing) => standing.allowed).length
  return { take, pass, allowed }
}

test('a token that has rested may do its burst at once, and no more', () => {
  const { allowed } = limiterAt(10, 30)

  expect(allowed(50)).toBe(30)
})

test('then it may do its rate', () => {
  const { allowed, pass } = limiterAt(10, 30)
  allowed(30)

  pass(1_000)

  expect(allowed(50)).toBe(10)
})

test('however long it rests, it may do no more than its burst', () => {
  const { allowed, pass } = limiterAt(10, 30)
  allowed(30)

  pass(3_600_000)

  expect(allowed(50)).toBe(30)
})

test('one token does not live at the cost of another', () => {
  const { allowed } = limiterAt(10, 30)

  allowed(50, 'a')

  expect(allowed(50, 'b')).toBe(30)
})

test('a request that is refused costs nothing', () => {
  const { allowed, pass } = limiterAt(10, 10)
  allowed(1_000)

  pass(100)

  expect(allowed(2)).toBe(1)
})

describe('a standing', () => {
  test('says what is left', () => {
    const { take } = limiterAt(10, 3)

    expect([take('a').remaining, take('a').remaining, take('a').remaining]).toEqual([2, 1, 0])
  })

  test('says how long to wait for one more, in whole seconds and at least one', () => {
    const { take, allowed } = limiterAt(0.1, 1)
    allowed(1)

    expect(take('a')).toEqual({ allowed: false, remaining: 0, waitSeconds: 10 })
    expect(limiterAt(1_000, 1_000).take('a').waitSeconds).toBe(1)
  })

  test('keeps its word: after the wait the request is allowed', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 30 }),
        (perSecond, extra, pauses) => {
          const { take, pass, allowed } = limiterAt(perSecond / 10, perSecond + extra)
          for (const ms of pauses) {
            pass(ms)
            allowed(extra)
          }
          allowed(perSecond + extra)
          const { waitSeconds } = take('a')

          pass(waitSeconds * 1_000)

          expect(take('a').allowed).toBe(true)
        },
      ),
    ))
})

test('in any time no token does more than its burst and its rate', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 0, max: 100 }),
      fc.array(fc.record({ ms: fc.nat(500), asked: fc.nat(40) }), { maxLength: 50 }),
      (perSecond, extra, steps) => {
        const { allowed, pass } = limiterAt(perSecond, perSecond + extra)
        let [time, done] = [0, 0]
        for (const { ms, asked } of steps) {
          pass(ms)
          time += ms
          done += allowed(asked)
        }

        expect(done).toBeLessThanOrEqual(perSecond + extra + (time / 1_000) * perSecond + 1e-6)
      },
    ),
  ))

test('what is kept is bounded, whoever comes', () => {
  const { allowed } = limiterAt(1, 1, 2)
  allowed(1, 'a')

  allowed(1, 'b')
  allowed(1, 'c')

  // the oldest was dropped, the newest were not
  expect([allowed(1, 'c'), allowed(1, 'b'), allowed(1, 'a')]).toEqual([0, 0, 1])
})
