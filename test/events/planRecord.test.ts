import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from '../../src/domain/canonicalJson.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import type { Plan, PlannedRule } from '../../src/engine/run/plan.ts'
import type { EvaluationEvent } from '../../src/events/evaluation/evaluation.ts'
import { planDigest, planOf } from '../../src/events/evaluation/planRecord.ts'
import { draws } from '../support/draws.ts'
import { olderPlanEvents } from '../support/olderPlan.ts'

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

/** The event of the plan, and those behind it. */
function whole([head, ...rest]: readonly EvaluationEvent[]) {
  if (head?.type !== 'PlanRecorded') throw new Error('a plan does not begin with its event')
  return [head.data, rest] as const
}

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
      const events = olderPlanEvents('digest', given)

      expect(planOf(...whole(events))).toEqual(given)
      for (const event of events) {
        expect(JSON.stringify(event).length).toBeLessThan(512 * 1024)
      }
    }),
    { numRuns: draws(30) },
  )
})

test('a plan that lacks an expression event is refused', () => {
  const [head, events] = whole(olderPlanEvents('digest', plan([rule('a', text('a'))])))

  expect(() => planOf(head, [])).toThrow(/complete/)
  expect(() => planOf(head, [...events, ...events])).toThrow(/complete/)
})

test('the digest is of the canonical text, which is gone through in pieces', async () => {
  const given = plan([rule('a', text('a')), rule('b')], [], [rule('c', text('c'))])
  const canonical = canonicalJson({ account: 'acc_1', plan: given })

  expect(await planDigest('acc_1', given)).toBe(hash('sha256', canonical, 'base64url'))
})

test('the digest tells plans and accounts apart and nothing else', async () => {
  const one = plan([rule('a', text('a'))])
  const other = plan([rule('a', text('b'))])

  const digest = await planDigest('acc_1', one)
  expect(await planDigest('acc_1', structuredClone(one))).toBe(digest)
  expect(await planDigest('acc_1', other)).not.toBe(digest)
  expect(await planDigest('acc_2', one)).not.toBe(digest)
})
