import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clampScore } from '../../src/engine/run/result.ts'
import { judgeLetters } from '../../src/queries/analysis/backtest/judgePlan.ts'

const rule = fc.record(
  {
    letter: fc.constantFrom('T', 'N', 'M', 'U', '?'),
    weight: fc.integer({ min: -60, max: 60 }),
    preempts: fc.constantFrom('PASS' as const, 'FLAG' as const),
  },
  { requiredKeys: ['letter', 'weight'] },
)
const recipe = fc.record({
  status: fc.constantFrom('LIVE' as const, 'LIVE' as const, 'SHADOW' as const),
  threshold: fc.integer({ min: 0, max: 100 }),
  rules: fc.array(rule, { maxLength: 5 }),
})
type Recipe = typeof recipe extends fc.Arbitrary<infer Drawn> ? Drawn : never

/** Every way in which the rules of unknown outcome may come out. */
function listOutcomes(letters: string): readonly string[] {
  const at = letters.indexOf('?')
  if (at < 0) return [letters]
  const rest = listOutcomes(letters.slice(at + 1))
  return ['T', 'N'].flatMap((one) => rest.map((other) => letters.slice(0, at) + one + other))
}

function flags({ rules, threshold }: Recipe, letters: string): boolean {
  let sum = 0
  for (const [at, { weight, preempts }] of rules.entries()) {
    if (letters[at] !== 'T') continue
    if (preempts) return preempts === 'FLAG'
    sum += weight
  }
  return clampScore(sum) >= threshold
}

test('a verdict is known exactly where no outcome of the unknown rules turns it', () => {
  fc.assert(
    fc.property(fc.array(recipe, { minLength: 1, maxLength: 3 }), (recipes) => {
      const letters = recipes.map(({ rules }) => rules.map(({ letter }) => letter).join(''))
      const possible = recipes
        .map((one, at) => ({ one, all: listOutcomes(letters[at] ?? '') }))
        .filter(({ one }) => one.status === 'LIVE')
        .map(({ one, all }) => new Set(all.map((some) => flags(one, some))))
      const isFlag = possible.some((of) => of.has(true) && !of.has(false))
      const known = possible.every((of) => !of.has(true)) ? 'PASS' : 'NOT_EVALUATED'
      const place = { type: 'CUSTOM' as const, name: 'r', version_id: 'v' }
      const planned = recipes.map((one) => ({
        ...{ ...one, recipe_id: 'r', version_id: 'v' },
        rules: one.rules.map(({ letter: _, ...of }, at) => ({ ...place, ...of, rule_id: `${at}` })),
      }))
      const plan = { flow_id: 'f', flow_version_id: 'v', semantics: 1, recipes: planned }

      expect(judgeLetters(plan, letters).verdict).toBe(isFlag ? 'FLAG' : known)
    }),
    { numRuns: 1_000 },
  )
})
