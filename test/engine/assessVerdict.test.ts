/** What missing evidence and single rules do to a verdict, against every outcome of the rules not evaluated. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assessVerdict } from '../../src/engine/run/assessVerdict.ts'
import type { Verdict } from '../../src/engine/run/result.ts'
import { draws } from '../support/draws.ts'

const largest = Number.MAX_SAFE_INTEGER

interface Rule {
  readonly weight: number
  readonly preempts?: Verdict
  /** What evaluating it gives. */
  readonly truth: 'T' | 'N' | 'M' | 'U'
}
interface Drawn {
  readonly threshold: number
  readonly rules: readonly Rule[]
}

const rule = fc.record<Rule>(
  {
    weight: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: -60, max: 60 }) },
      { weight: 1, arbitrary: fc.constantFrom(largest, -largest, largest - 1, 1 - largest) },
    ),
    preempts: fc.constantFrom('FLAG', 'PASS'),
    truth: fc.constantFrom('T', 'N', 'M', 'M', 'U'),
  },
  { requiredKeys: ['weight', 'truth'] },
)
const recipe = fc.record<Drawn>({
  threshold: fc.integer({ min: -5, max: 105 }),
  // most rules override nothing
  rules: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: rule.map(({ weight, truth }) => ({ weight, truth })) },
      { weight: 1, arbitrary: rule },
    ),
    { maxLength: 9 },
  ),
})

/** The recipe as the spec runs it: rules in order up to the one that overrides, which is -1 for none. */
function runPlainly({ threshold, rules }: Drawn) {
  let sum = 0n
  for (const [at, { truth, weight, preempts }] of rules.entries()) {
    if (truth !== 'T') continue
    sum += BigInt(weight)
    if (preempts) return { score: clamp(sum), verdict: preempts, decisive: at }
  }
  const score = clamp(sum)
  return { score, verdict: score >= threshold ? 'FLAG' : 'PASS', decisive: -1 } as const
}

const clamp = (sum: bigint): number => (sum < 0n ? 0 : sum > 100n ? 100 : Number(sum))

/** What the log has of it. */
function record(drawn: Drawn) {
  const { verdict, decisive } = runPlainly(drawn)
  const letters = drawn.rules.map(({ truth }) => truth).join('')
  const ran = decisive < 0 ? letters.length : decisive + 1
  return {
    verdict,
    outcomes: letters.slice(0, ran) + 'S'.repeat(letters.length - ran),
    ...(ran < letters.length && { skipped: letters.slice(ran) }),
  }
}

/** The recipe under each way in which the rules that were not evaluated could have come out. */
function* everyCompletion({ threshold, rules }: Drawn): Generator<Drawn> {
  const open = rules.findIndex(({ truth }) => truth === 'M' || truth === 'U')
  if (open < 0) return yield { threshold, rules }
  for (const truth of ['T', 'N'] as const) {
    yield* everyCompletion({ threshold, rules: rules.with(open, { ...rules[open], truth } as Rule) })
  }
}

const runs = { numRuns: draws(3_000) }

test('a verdict is fragile when some outcome of the rules not evaluated gives another', () => {
  fc.assert(
    fc.property(recipe, (drawn) => {
      const { verdict } = runPlainly(drawn)
      const others = [...everyCompletion(drawn)].filter((one) => runPlainly(one).verdict !== verdict)

      expect(assessVerdict(drawn, record(drawn)).fragile ?? false).toBe(others.length > 0)
    }),
    runs,
  )
})

test('the bounds are the smallest and largest score while no rule overrides', () => {
  fc.assert(
    fc.property(recipe, (drawn) => {
      const decided = [...everyCompletion(drawn)].map(runPlainly)
      const scores = decided.filter(({ decisive }) => decisive < 0).map(({ score }) => score)
      const [min, max] = [Math.min(...scores), Math.max(...scores)]
      const isCertain = runPlainly(drawn).decisive >= 0 || min === max

      expect(assessVerdict(drawn, record(drawn)).bounds).toEqual(isCertain ? undefined : [min, max])
    }),
    runs,
  )
})

test('a rule turns the verdict alone when the recipe without it gives another', () => {
  fc.assert(
    fc.property(recipe, (drawn) => {
      const { verdict } = runPlainly(drawn)
      const alone = drawn.rules.flatMap((_, at) => {
        const without = { ...drawn, rules: drawn.rules.toSpliced(at, 1) }
        return runPlainly(without).verdict === verdict ? [] : [at]
      })

      expect(assessVerdict(drawn, record(drawn)).alone ?? []).toEqual(alone)
    }),
    runs,
  )
})
