import { describe, expect, test } from 'vitest'
import { commitsIn, longestCommitMs } from '../../bench/neighbours/commits.ts'
import { figuresOf } from '../../bench/neighbours/figuresOf.ts'
import type { Measured, Observed } from '../../bench/neighbours/measureAttack.ts'
import { longRule } from '../../bench/neighbours/rulebook.ts'
import { starvationOf, starvedIn } from '../../bench/neighbours/starvation.ts'
import { type Asked, type Waits, waitsOf } from '../../bench/neighbours/waits.ts'
import { parseRule } from '../../src/engine/language/parse/parseRule.ts'

const waits = (p99Ms: number, maxMs: number, refused: readonly number[] = []): Waits => ({
  p50Ms: 1,
  p99Ms,
  maxMs,
  unstarvedMaxMs: maxMs,
  asked: 100,
  unanswered: refused.length,
  refused,
})

const answeredIn = (waitsMs: readonly number[]): readonly Asked[] =>
  waitsMs.map((ms, at) => ({ dueMs: at * 10, answeredMs: at * 10 + ms }))

describe('how long the neighbour waited', () => {
  test('counts from when a question was due', () => {
    const asked = answeredIn([1, 3, 2])

    expect(waitsOf(asked, 1_000)).toEqual({
      p50Ms: 2,
      p99Ms: expect.closeTo(2.98, 10),
      maxMs: 3,
      unstarvedMaxMs: 3,
      asked: 3,
      unanswered: 0,
      refused: [],
    })
  })

  test('is until the end for what was not answered well', () => {
    const asked = [...answeredIn([1, 1]), { dueMs: 400, refused: 503 }, { dueMs: 900 }]

    expect(waitsOf(asked, 1_000)).toMatchObject({ maxMs: 600, unanswered: 2, refused: [503] })
  })

  test('is told apart from what the machine kept the service waiting', () => {
    const asked = [
      { dueMs: 0, answeredMs: 500, starvedMs: 480 },
      { dueMs: 10, answeredMs: 60, starvedMs: 10 },
    ]

    expect(waitsOf(asked, 1_000)).toMatchObject({ maxMs: 500, unstarvedMaxMs: 40 })
  })
})

function observed(change: Partial<Observed>): Observed {
  const still = { evaluations: waits(0, 0), life: waits(0, 0), own: waits(0, 1) }
  return { ...still, diskMs: 2, commitMs: 5, ...change }
}

function measured(change: Partial<Measured> = {}): Measured {
  const quiet = observed({ evaluations: waits(2, 5), life: waits(1, 3) })
  const memory = { heldMiB: 30, residentMiB: 150 }
  return { alone: quiet, attacked: quiet, before: memory, after: memory, answered: '', ...change }
}

describe('the rows of an attack', () => {
  test.each([
    { evaluations: waits(2, 255), life: waits(1, 3), value: 250, holds: true },
    { evaluations: waits(2, 256), life: waits(1, 3), value: 251, holds: false },
    { evaluations: waits(2, 5), life: waits(1, 303), value: 300, holds: false },
  ])('take the longest wait of either question: $value ms more', (given) => {
    const { evaluations, life, value, holds } = given
    const attacked = observed({ evaluations, life })

    const [wait] = figuresOf('changes', [measured({ attacked })])

    expect(wait).toMatchObject({ value, holds })
  })
})

describe('the longest commit', () => {
  const metric = 'vigil_append_commit_duration_seconds_bucket'
  const metricsOf = (counts: readonly number[]) =>
    commitsIn(
      ['0.01', '0.1', '+Inf'].map((le, at) => `${metric}{le="${le}"} ${counts[at]}`).join('\n'),
    )

  test.each([
    { before: [5, 6, 6], after: [5, 6, 6], ms: 0 },
    { before: [5, 6, 7], after: [9, 10, 11], ms: 10 },
    { before: [5, 6, 7], after: [9, 11, 12], ms: 100 },
    { before: [5, 6, 7], after: [9, 11, 13], ms: Number.POSITIVE_INFINITY },
  ])('of those between $before and $after is at most $ms ms', ({ before, after, ms }) => {
    expect(longestCommitMs(metricsOf(before), metricsOf(after))).toBe(ms)
  })

  test('of a service that does not count them is an error, not a commit of nothing', () => {
    expect(() => commitsIn('vigil_events_appended_total 1')).toThrow(`there is no metric ${metric}`)
  })
})

describe('a long rule', () => {
  test.each([200, 3_500, 4_000])('of %d characters is one that can be saved', (chars) => {
    const text = longRule(7, chars)

    expect(text.length).toBeLessThanOrEqual(chars)
    expect(text.length).toBeGreaterThan(chars - 60)
    expect(parseRule(text)).toHaveProperty('expression')
  })
})

test('the kernel counts in nanoseconds', () => {
  expect(starvedIn('775322 68912000 12\n')).toBeCloseTo(68.912, 10)
  expect(starvationOf(process.pid)()).toBeGreaterThanOrEqual(0)
  expect(starvationOf(2 ** 30)()).toBe(0)
})
