import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Plan } from '../../src/engine/run/plan.ts'
import { draws } from '../support/draws.ts'
import { anyRule, partialEvidence } from './support/arbitraryGuardedRule.ts'
import { arbitraryEvidence } from './support/arbitraryRule.ts'
import { answered, compile, planOf, recipeOf, ruleOf, type Values } from './support/evaluate.ts'

/** A plan that nothing else has run: what it gives cannot come from an earlier run. */
function alone(plan: Plan, values: Values): string {
  const compiled = compile(plan)
  return JSON.stringify(compiled.run(answered(compiled, values)))
}

const someEvidence = fc.oneof(
  arbitraryEvidence,
  partialEvidence,
  fc.constant<Values>({}),
  // what no door lets through
  arbitraryEvidence.map((values): Values => ({ ...values, 'signal.ip': 7, 'list.block': 'yes' })),
)
const anyPlan = fc
  .array(fc.array(anyRule, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
  .map((recipes) =>
    planOf(
      ...recipes.map((rules, at) =>
        recipeOf(
          rules.map((text, index) => ruleOf(`rul_${at}_${index}`, text)),
          { recipe_id: `rcp_${at}` },
        ),
      ),
    ),
  )

describe('nothing of one run is left for the next', () => {
  test('for any plan over any row of evidence', () => {
    fc.assert(
      fc.property(anyPlan, fc.array(someEvidence, { minLength: 2, maxLength: 5 }), (plan, row) => {
        const compiled = compile(plan)

        for (const values of row) {
          expect(JSON.stringify(compiled.run(answered(compiled, values)))).toBe(alone(plan, values))
        }
      }),
      { numRuns: draws(100) },
    )
  })

  const texts: readonly string[] = [
    'phoneCountry(target.phone_number) == "FR"',
    'phoneCountry(signal.ext.other) == "FR"',
    'emailDomain(target.email_address) == "example.com"',
    'inCidr(signal.ip, "10.0.0.0/8")',
    'int(signal.ext.n) / int(signal.ext.m) == 2',
    '[signal.ext.n, signal.ext.m].exists(x, int(x) == 0)',
    '["1", "2"].all(x, signal.ext.n.contains(x))',
    'has(signal.ext.m) && int(signal.ext.m) > 1',
    'has(signal.ext.n) ? signal.ext.n == "1" : signal.ext.m == "1"',
    'timestamp(signal.ext.t) < request.time',
    '1 / int(signal.ext.n) == 1 || signal.ip.startsWith("1")',
  ]
  const phones = ['+33612345678', '+14155552671', 'no number', '']
  const some = (...values: readonly (string | number)[]) =>
    fc.option(fc.constantFrom(...values), { nil: undefined })
  const evidence = fc
    .record({
      'target.phone_number': some(...phones),
      'signal.ext.other': some(...phones),
      'target.email_address': some('a@example.com', 'a@example.org', 'nowhere'),
      'signal.ip': some('10.1.1.1', '11.1.1.1', 'x', 3),
      'signal.ext.n': some('0', '1', '2', '12', 'x'),
      'signal.ext.m': some('0', '1', '', 'y'),
      'signal.ext.t': some('2024-01-01T00:00:00Z', 'z'),
      'request.time': fc.constantFrom(0, Date.UTC(2024, 5, 1)),
    })
    .map(
      (values) =>
        Object.fromEntries(Object.entries(values).filter(([, v]) => v !== undefined)) as Values,
    )

  test('for rules that remember within a run, fail and wait by turns', () => {
    const plan = planOf(
      recipeOf(texts.map((text, at) => ruleOf(`rul_${at}`, text))),
      recipeOf(
        texts.toReversed().map((text, at) => ruleOf(`rul_${at}`, text)),
        { recipe_id: 'rcp_2', status: 'SHADOW' },
      ),
    )
    const compiled = compile(plan)

    fc.assert(
      fc.property(evidence, (values) => {
        expect(JSON.stringify(compiled.run(answered(compiled, values)))).toBe(alone(plan, values))
      }),
      { numRuns: draws(200) },
    )
  })

  test('and each rule gives beside the others what it gives in a plan of its own', () => {
    const together = compile(planOf(recipeOf(texts.map((text, at) => ruleOf(`rul_${at}`, text)))))
    const apart = texts.map((text, at) => compile(planOf(recipeOf([ruleOf(`rul_${at}`, text)]))))

    fc.assert(
      fc.property(evidence, (values) => {
        const given = answered(together, values)
        const single = apart.map((compiled) => compiled.run(given).recipes[0]?.rules[0])

        expect(together.run(given).recipes[0]?.rules).toEqual(single)
      }),
      { numRuns: draws(200) },
    )
  })

  test('a result already given does not change when the plan runs again', () => {
    const compiled = compile(planOf(recipeOf(texts.map((text, at) => ruleOf(`rul_${at}`, text)))))

    fc.assert(
      fc.property(evidence, evidence, (first, second) => {
        const run = compiled.run(answered(compiled, first))
        const [body, recorded] = [
          compiled.renderResponse('evl_1', run),
          JSON.stringify(compiled.encodeRun(run)),
        ]

        compiled.run(answered(compiled, second))

        expect(compiled.renderResponse('evl_1', run)).toBe(body)
        expect(JSON.stringify(compiled.encodeRun(run))).toBe(recorded)
      }),
      { numRuns: draws(100) },
    )
  })
})

describe('evidence', () => {
  test('that no rule reads changes nothing', () => {
    fc.assert(
      fc.property(
        anyPlan,
        arbitraryEvidence,
        fc.dictionary(fc.stringMatching(/^[g-z]{3,6}$/), fc.string(), { maxKeys: 4 }),
        (plan, values, other) => {
          const compiled = compile(plan)
          const extra = Object.fromEntries(
            Object.entries(other).map(([key, value]) => [`signal.ext.${key}`, value]),
          )

          expect(JSON.stringify(compiled.run(answered(compiled, { ...extra, ...values })))).toBe(
            alone(plan, values),
          )
        },
      ),
      { numRuns: draws(60) },
    )
  })

  test('gives the same in whatever order it stands', () => {
    fc.assert(
      fc.property(anyPlan, partialEvidence, (plan, values) => {
        const turned = Object.fromEntries(Object.entries(values).toReversed())

        expect(alone(plan, turned)).toBe(alone(plan, values))
      }),
      { numRuns: draws(60) },
    )
  })

  test('with an empty text is evidence without it', () => {
    fc.assert(
      fc.property(anyPlan, arbitraryEvidence, fc.nat(), (plan, values, at) => {
        const names = Object.keys(values).filter((name) => typeof values[name] === 'string')
        const name = names[at % names.length] ?? ''
        const { [name]: _, ...without } = values

        expect(alone(plan, { ...values, [name]: '' })).toBe(alone(plan, without))
      }),
      { numRuns: draws(60) },
    )
  })
})
