import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openAttacker } from '../../bench/neighbours/attacker.ts'
import { attacks } from '../../bench/neighbours/attacks.ts'
import { commitsIn, longestCommitMs } from '../../bench/neighbours/commits.ts'
import { figuresOf } from '../../bench/neighbours/figuresOf.ts'
import type { Measured, Observed } from '../../bench/neighbours/measureAttack.ts'
import { repeat } from '../../bench/neighbours/repeat.ts'
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

describe('the attacks', () => {
  const names = Object.keys(attacks)

  test('are all that there are files of', () => {
    const files = readdirSync('bench/neighbours/attacks').map((file) => file.replace(/\.ts$/, ''))

    expect(names.sort()).toEqual(files.sort())
  })

  test('have two rows each, and none another one’s', () => {
    const rows = names.flatMap((name) => figuresOf(name, [measured()]).map((row) => row.name))

    expect(new Set(rows).size).toBe(2 * names.length)
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
  test('hold while nobody waits and nothing grows', () => {
    const [wait, memory] = figuresOf('changes', [measured()])

    expect(wait).toMatchObject({ value: 0, target: 250, holds: true })
    expect(memory).toMatchObject({ value: 0, target: 64, holds: true })
  })

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

  test('say how many questions had no good answer, and what the account was answered', () => {
    const evaluations = waits(2, 5, [503, 503, 0])
    const attacked = observed({ evaluations, life: waits(1, 3, [503]), own: waits(0, 7) })

    const [wait] = figuresOf('changes', [measured({ attacked, answered: '413: 5 in 1 ms' })])

    expect(wait?.notes).toContain('4 not answered (503: 3, broken off: 1)')
    expect(wait?.notes).toContain('the account was answered 413: 5 in 1 ms')
    expect(wait?.notes).toContain("the neighbour's own process at most 7 ms late")
  })

  test('miss when the service grew, and when it ended', () => {
    const grown = { heldMiB: 95, residentMiB: 400 }

    const [, memory] = figuresOf('changes', [measured({ after: grown })])
    const [, ended] = figuresOf('changes', [measured({ after: undefined })])

    expect(memory).toMatchObject({ value: 65, holds: false })
    expect(ended).toMatchObject({ holds: false, notes: ['the service ended'] })
    expect(Number.isFinite(ended?.value)).toBe(true)
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

describe('an attacker', () => {
  test('without time does everything once', async () => {
    const attacker = openAttacker({ port: 1, token: 't', durationMs: 0 })
    const done: number[] = []

    await repeat(attacker, 3, async (index) => done.push(index))
    attacker.close()

    expect(done).toEqual([0, 1, 2])
  })

  test('counts a connection that nobody takes as broken off', async () => {
    const attacker = openAttacker({ port: 1, token: 't', durationMs: 0 })

    const answer = await attacker.send({ method: 'GET', path: '/' })
    attacker.close()

    expect(answer).toEqual({ status: 0, text: '' })
    expect(attacker.report()).toMatch(/^broken off: 1 in \d+ ms$/)
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
