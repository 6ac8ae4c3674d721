import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Expression } from '../../src/engine/language/expression.ts'
import type { Plan, PlannedRule } from '../../src/engine/run/plan.ts'
import { planDigest, planEvents, planOf } from '../../src/events/evaluation/planRecord.ts'

const text = (value: string): Expression => ({ kind: 'literal', type: 'string', value, at: [1, 1] })

const rule = (id: string, expression?: Expression): PlannedRule => ({
  rule_id: id,
  type: 'CUSTOM',
  name: id,
  version_id: `ver_${id}`,
  weight: 1,
  ...(expression && { expression }),
})

const plan = (...recipes: readonly (readonly PlannedRule[])[]): Plan => ({
  flow_id: 'flo_1',
  flow_version_id: 'ver_1',
  semantics: 1,
  recipes: recipes.map((rules, index) => ({
    recipe_id: `rcp_${index}`,
    version_id: 'ver_2',
    status: 'LIVE',
    threshold: 50,
    rules,
  })),
})

const planArbitrary = fc
  .array(
    fc.array(fc.tuple(fc.string(), fc.option(fc.integer({ min: 0, max: 90_000 }))), {
      maxLength: 12,
    }),
    { maxLength: 4 },
  )
  .map((recipes) =>
    plan(
      ...recipes.map((rules) =>
        rules.map(([id, size]) => rule(id, size === null ? undefined : text('x'.repeat(size)))),
      ),
    ),
  )

test('a plan is what its events add up to, however large', () => {
  fc.assert(
    fc.property(planArbitrary, (given) => {
      const events = planEvents('digest', given)

      expect(planOf(events)).toEqual(given)
      for (const event of events) {
        expect(JSON.stringify(event).length).toBeLessThan(512 * 1024)
      }
    }),
    { numRuns: 30 },
  )
})

test('a plan that lacks an expression event is refused', () => {
  const events = planEvents('digest', plan([rule('a', text('a'))]))

  expect(() => planOf(events.slice(1))).toThrow(/begin/)
  expect(() => planOf([...events, ...events.slice(1)])).toThrow(/complete/)
})

test('the digest tells plans and accounts apart and nothing else', () => {
  const one = plan([rule('a', text('a'))])
  const other = plan([rule('a', text('b'))])

  expect(planDigest('acc_1', one)).toBe(planDigest('acc_1', structuredClone(one)))
  expect(planDigest('acc_1', one)).not.toBe(planDigest('acc_1', other))
  expect(planDigest('acc_1', one)).not.toBe(planDigest('acc_2', one))
})
