import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareValues } from '../../src/queries/evaluation/replayEvaluation.ts'

test('equal values differ nowhere', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(compareValues(value, structuredClone(value))).toEqual([])
    }),
  )
})

test('a difference is named by its place, with both values', () => {
  const recorded = { verdict: 'PASS', recipes: [{ score: 10, rules: [{ outcome: 'TRIGGERED' }] }] }
  const recomputed = { verdict: 'FLAG', recipes: [{ score: 10, rules: [{ outcome: 'SKIPPED' }] }] }

  expect(compareValues(recorded, recomputed)).toEqual([
    { path: 'verdict', recorded: 'PASS', recomputed: 'FLAG' },
    { path: 'recipes.0.rules.0.outcome', recorded: 'TRIGGERED', recomputed: 'SKIPPED' },
  ])
})

test('what only one of them has is a difference without the other value', () => {
  expect(compareValues({ a: 1 }, { b: [2] })).toEqual([
    { path: 'a', recorded: 1 },
    { path: 'b', recomputed: [2] },
  ])
})

test('one changed leaf is one difference at its place', () => {
  const leaves = fc.array(fc.integer(), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(leaves, fc.nat(), fc.integer({ min: 1 }), (list, at, change) => {
      const index = at % list.length
      const changed = list.map((leaf, each) => (each === index ? leaf + change : leaf))

      expect(compareValues({ rules: list }, { rules: changed })).toEqual([
        { path: `rules.${index}`, recorded: list[index], recomputed: changed[index] },
      ])
    }),
  )
})
