/**
 * The causes of a difference are those of all combinations written down; how many there are is known before any is
 * made.
 */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import { compilePlan } from '../../src/engine/compile/compilePlan.ts'
import { semanticsVersion } from '../../src/engine/language/semantics.ts'
import type { Plan } from '../../src/engine/run/plan.ts'
import {
  applyDifferences,
  type ComparedEvaluation,
  type InputDifference,
  listInputDifferences,
} from '../../src/queries/evaluation/difference/inputDifferences.ts'
import { type Causes, findCauses } from '../../src/queries/evaluation/difference/verdictCauses.ts'
import { expressionOf } from '../engine/support/evaluate.ts'

type Combination = readonly InputDifference[]

const expressions = ['signal.ip == "192.0.2.1"', 'signal.ip != "192.0.2.1"'].map((text) =>
  expressionOf(text),
)

interface DrawnRule {
  readonly weight: number
  readonly version: 0 | 1
}

function side(rules: readonly DrawnRule[], threshold: number, ip: string): ComparedEvaluation {
  const members = rules.map(({ weight, version }, at) => ({
    ...{ rule_id: `rul_${at}`, type: 'CUSTOM' as const, name: '', version_id: `ver_${version}` },
    ...{ weight, expression: expressions[version] ?? expect.fail() },
  }))
  const recipe = { recipe_id: 'rcp_1', version_id: 'ver_1', status: 'LIVE', threshold } as const
  const recipes = [{ ...recipe, rules: members }]
  const plan: Plan = { flow_id: 'f', flow_version_id: 'v', semantics: semanticsVersion, recipes }
  const evidence = new Map([['signal.ip', { value: ip, source: 'request' } as const]])
  const compiled = compilePlan(plan)
  const { verdict } = compiled.run(evidence)
  return { plan, evidence, reads: new Set(['signal.ip']), compiled, verdict }
}

type Tries = (combination: Combination) => Promise<boolean>

/** All combinations are written down, then tried one after the other. */
async function findCausesAtOnce(
  a: ComparedEvaluation,
  b: ComparedEvaluation,
  differences: Combination,
): Promise<Causes> {
  if (a.verdict === b.verdict) return { causes: [], smallest: true }
  const rules = [a, b].flatMap(({ plan }) => plan.recipes.flatMap((recipe) => recipe.rules))
  let left = 200_000 / (rules.length + 1)
  const turns: Tries = async (combination) => {
    left -= 1
    const { plan, evidence } = runAtOnce(applyDifferences(a, b, combination))
    return compilePlan(plan).run(evidence).verdict === b.verdict
  }
  const alone = differences.map((one) => [one])
  const inPairs = differences.flatMap((one, at) =>
    differences.slice(at + 1).map((other) => [one, other]),
  )
  for (const combinations of [alone, inPairs]) {
    if (combinations.length > left / 2) break
    const causes = await firstOf(combinations, turns)
    if (causes.length > 0) return { causes, smallest: true }
  }
  const rest = await shorten(differences, (one) => left > 0 && turns(one))
  return { causes: (await turns(rest)) ? [rest] : [], smallest: false }
}

async function firstOf(combinations: readonly Combination[], turns: Tries) {
  const causes: Combination[] = []
  for (const combination of combinations) {
    if (causes.length < 20 && (await turns(combination))) causes.push(combination)
  }
  return causes
}

/** Leaves out the half, a quarter and so on, at last one. */
async function shorten(
  differences: Combination,
  turns: (one: Combination) => Promise<boolean> | false,
) {
  let rest = differences
  for (let size = rest.length; size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let from = 0; from < rest.length; ) {
      const less = [...rest.slice(0, from), ...rest.slice(from + size)]
      if (await turns(less)) rest = less
      else from += size
    }
  }
  return rest
}

const drawnRule = fc.record({
  weight: fc.integer({ min: -30, max: 60 }),
  version: fc.constantFrom(0 as const, 1 as const),
})
const drawnSide = fc
  .tuple(
    fc.array(drawnRule, { maxLength: 7 }),
    fc.integer({ min: 1, max: 100 }),
    fc.constantFrom('192.0.2.1', '192.0.2.2'),
  )
  .map((drawn) => side(...drawn))

describe('the causes of a difference', () => {
  test('are those of all combinations tried one after the other', () =>
    fc.assert(
      fc.asyncProperty(drawnSide, drawnSide, async (one, other) => {
        const differences = runAtOnce(listInputDifferences(one, other))
        expect(runAtOnce(findCauses(one, other, differences))).toEqual(
          await findCausesAtOnce(one, other, differences),
        )
      }),
    ))

  // of 64 rules so many pairs may be tried as 38 differences have
  test.each([38, 39, 40])(
    'are the same where %i differences come to the limit',
    async (differing) => {
      const rules = (weight: number) =>
        Array.from({ length: 64 }, (_, at) => ({
          weight: at < differing ? weight : 0,
          version: 0 as const,
        }))
      const one = side(rules(1), 90, '192.0.2.1')
      const other = side(rules(3), 90, '192.0.2.1')
      const differences = runAtOnce(listInputDifferences(one, other))

      const found = runAtOnce(findCauses(one, other, differences))

      expect(differences).toHaveLength(differing)
      expect(one.verdict).not.toBe(other.verdict)
      expect(found).toEqual(await findCausesAtOnce(one, other, differences))
    },
  )

  test('of thousands of differences are looked for without a look at each pair', async () => {
    const rules = (change: DrawnRule) => Array.from({ length: 2_000 }, () => change)
    const one = side(rules({ weight: 0, version: 0 }), 50, '192.0.2.1')
    const other = side(rules({ weight: 1, version: 1 }), 49, '192.0.2.2')
    const differences = runAtOnce(listInputDifferences(one, other))
    let looks = 0
    const counted = new Proxy(differences, {
      get: (target, key) => {
        looks += 1
        return Reflect.get(target, key)
      },
    })

    const { causes, smallest } = runAtOnce(findCauses(one, other, counted))

    expect(differences).toHaveLength(4_002)
    expect(causes).toHaveLength(1)
    expect(smallest).toBe(false)
    // a pair of them each is eight million
    expect(looks).toBeLessThan(100 * differences.length)
  })
})
