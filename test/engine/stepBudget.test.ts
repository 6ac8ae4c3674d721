import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compilePlannedRule,
  type PlanScope,
  runRule,
} from '../../src/engine/compile/compilePlannedRule.ts'
import { newEvidenceSlots, newMemory } from '../../src/engine/compile/planMemory.ts'
import { charges } from '../../src/engine/language/operationCosts.ts'
import type { RuleResult } from '../../src/engine/run/result.ts'
import { draws } from '../support/draws.ts'
import { anyEvidence, anyRule } from './support/arbitraryGuardedRule.ts'
import { evidenceOf, ruleOf, type Values } from './support/evaluate.ts'

const newPlanScope = (): PlanScope => ({
  memory: newMemory(),
  slots: newEvidenceSlots(),
  memoizedOperations: new Map(),
  asks: new Map(),
})

/** The result of one rule, its steps counted from `countFrom` on, with so many to spend; and what it spent. */
function runWith(
  text: string,
  values: Values,
  { countFrom, budget }: { readonly countFrom: number; readonly budget: number },
) {
  const workshop = newPlanScope()
  const { memory, slots } = workshop
  const rule = compilePlannedRule(ruleOf('a', text), workshop, countFrom)
  const complete = slots.load(evidenceOf(values), memory) === 0
  memory.run += 1
  memory.runStepsLeft = budget
  const { result } = runRule(rule, memory, complete)
  return { result, rule, spent: budget - memory.runStepsLeft, failed: memory.hasFailed }
}

/** Every step counted, with as many as a rule may take. */
const counted = { countFrom: -1, budget: charges.ruleStepsMax }

const shown = ({ outcome, blocked_by, unavailable }: RuleResult) => [
  outcome,
  blocked_by,
  unavailable,
]

describe('a rule whose steps are counted', () => {
  test('gives what it gives when they are not', () => {
    fc.assert(
      fc.property(anyRule, anyEvidence, (text, values) => {
        const ofCounted = runWith(text, values, counted)
        const free = runWith(text, values, { countFrom: Number.POSITIVE_INFINITY, budget: 0 })

        expect([ofCounted.rule.countsSteps, free.rule.countsSteps]).toEqual([true, false])
        expect(shown(ofCounted.result)).toEqual(shown(free.result))
        expect([ofCounted.failed, free.failed]).toEqual([false, false])
      }),
      { numRuns: draws(1500) },
    )
  })

  test('never takes more steps than were foreseen', () => {
    fc.assert(
      fc.property(anyRule, anyEvidence, (text, values) => {
        const { rule, spent } = runWith(text, values, counted)

        expect(spent).toBeLessThanOrEqual(rule.stepsMax)
      }),
      { numRuns: draws(1500) },
    )
  })

  test('has just enough with what it spends, and one step less makes it unavailable', () => {
    let cut = 0
    fc.assert(
      fc.property(anyRule, anyEvidence, (text, values) => {
        const full = runWith(text, values, counted)
        const decided = ['TRIGGERED', 'NOT_TRIGGERED'].includes(full.result.outcome)
        fc.pre(decided && full.spent > 0)
        cut += 1

        const enough = runWith(text, values, { ...counted, budget: full.spent })
        const short = runWith(text, values, { ...counted, budget: full.spent - 1 })

        expect(shown(enough.result)).toEqual(shown(full.result))
        expect(shown(short.result)).toEqual(['NOT_EVALUATED', undefined, true])
      }),
      { numRuns: draws(500) },
    )
    expect(cut).toBeGreaterThan(draws(100))
  })
})
