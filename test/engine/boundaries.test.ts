import { describe, expect, test } from 'vitest'
import { ruleLimits } from '../../src/engine/language/ruleLimits.ts'
import { problemsOf } from './support/evaluate.ts'

const repeated = (count: number, text: string) => Array.from({ length: count }, () => text)

/** Each limit: a rule that is as large as it may be, and one that is larger by one. */
const boundaries: readonly (readonly [string, (size: number) => string, number, RegExp])[] = [
  [
    'characters of the text',
    (size) => `list.block${' '.repeat(size - 'list.block'.length)}`,
    ruleLimits.textChars,
    /longer than 4096 characters/,
  ],
  [
    'items of a list',
    (size) => `1 in [${repeated(size, '1').join(',')}]`,
    ruleLimits.listItems,
    /more than 500 items/,
  ],
  [
    'characters of a text written in it',
    (size) => `signal.ip == "${'a'.repeat(size)}"`,
    ruleLimits.literalChars,
    /longer than 1024 characters/,
  ],
  [
    'characters of a pattern',
    (size) => `signal.ip.matches("${'a'.repeat(size)}")`,
    ruleLimits.patternChars,
    /longer than 512 characters/,
  ],
  [
    'levels, in negations',
    (size) => `${'!'.repeat(size - 1)}true`,
    ruleLimits.depth,
    /deeper than 24/,
  ],
  [
    'levels, in sums',
    (size) => `1${' + 1'.repeat(size - 2)} == 1`,
    ruleLimits.depth,
    /deeper than 24/,
  ],
  [
    'parts',
    // a name, a list, the items, the operator, and the chain above
    (size) =>
      `${repeated(2, `1 in [${repeated(400, '1').join(',')}]`).join(' || ')} || 1 in [${repeated(size - 2 * 403 - 4, '1').join(',')}]`,
    ruleLimits.nodes,
    /more than 1000 parts/,
  ],
]

describe.each(boundaries)('as many %s as there may be', (_, ruleOf, ...[limit, refusal]) => {
  test('are taken', () => {
    expect(problemsOf(ruleOf(limit)).filter((problem) => refusal.test(problem))).toEqual([])
  })

  test('and one more are refused', () => {
    expect(problemsOf(ruleOf(limit + 1))[0]).toMatch(refusal)
  })
})

test('the problems of one rule are ten at most, the first ones', () => {
  const many = repeated(30, '').map((_, at) => `unknown${at} == "x"`)

  const problems = problemsOf(many.join(' && '))

  expect(problems).toHaveLength(ruleLimits.problems)
  expect(problems.map((problem) => /'(unknown\d+)'/.exec(problem)?.[1])).toEqual(
    repeated(10, '').map((_, at) => `unknown${at}`),
  )
})
