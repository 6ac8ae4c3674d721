import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openTokenBuckets } from '../../src/http/middleware/limitRates.ts'

function limiterAt(perSecond: number, burst: number, bucketsMax?: number) {
  let time = 0
  const buckets = openTokenBuckets(() => time, bucketsMax)
  const rate = { perSecond, burst }
  const take = (key: string) => buckets.take('acc', [{ rate, kind: 'token', key }])
  const pass = (ms: number) => {
    time += ms
  }
  const allowed = (count: number, token = 'a') => {
    const standings = Array.from({ length: count }, () => take(token))
    return standings.filter((standing) => standing.allowed).length
  }
  return { take, pass, allowed }
}

test.each([
  ['that has just begun may do its burst at once, and no more', 0, 0, 30],
  ['may then do its rate', 30, 1_000, 10],
  ['may do no more than its burst, however long it rests', 30, 3_600_000, 30],
  ['pays nothing for a request that is refused', 1_000, 100, 1],
])('a token %s', (...row) => {
  const [, before, ms, count] = row
  const { allowed, pass } = limiterAt(10, 30)
  allowed(before)
  pass(ms)

  expect(allowed(50)).toBe(count)
})

describe('a standing', () => {
  test('says what is left', () => {
    const { take } = limiterAt(10, 3)

    for (const remaining of [2, 1, 0]) expect(take('a')).toMatchObject({ remaining })
  })

  test('says how long to wait for one more, in whole seconds and at least one', () => {
    const { take, allowed } = limiterAt(0.1, 1)
    allowed(1)

    expect(take('a')).toEqual({ allowed: false, remaining: 0, waitSeconds: 10 })
    expect(limiterAt(1_000, 1_000).take('a')).toMatchObject({ waitSeconds: 1 })
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

          expect(take('a')).toMatchObject({ allowed: true })
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
  const { allowed } = limiterAt(1, 1, 4)
  for (const token of ['a', 'b', 'c']) allowed(1, token)

  // the oldest was dropped, the newest were not
  for (const [token, count] of [
    ['c', 0],
    ['b', 0],
    ['a', 1],
  ] as const) {
    expect(allowed(1, token)).toBe(count)
  }
})

const few = { rate: { burst: 1, perSecond: 1 }, kind: 'few', key: 'a' }
const many = { rate: { burst: 3, perSecond: 1 }, kind: 'many', key: 'a' }

test('whoever is refused takes nothing from the buckets that stand after', () => {
  const { take } = openTokenBuckets(() => 0)
  take('acc', [few, many])

  const refused = take('acc', [few, many])

  expect(refused.allowed).toBe(false)
  expect(take('acc', [many])).toMatchObject({ allowed: true, remaining: 1 })
})

test('another key, the same of another kind, or of another owner, is another bucket', () => {
  const { take } = openTokenBuckets(() => 0)
  take('acc', [few])

  for (const other of [{ key: 'b' }, { kind: 'others' }]) {
    expect(take('acc', [{ ...few, ...other }])).toMatchObject({ allowed: true })
  }
  expect(take('other', [few])).toMatchObject({ allowed: true })
  expect(take('acc', [few])).toMatchObject({ allowed: false })
})
