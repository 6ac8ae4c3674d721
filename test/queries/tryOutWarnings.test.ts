import { expect, test, vi } from 'vitest'
import { semanticsVersion } from '../../src/engine/language/semantics.ts'
import { planWarnings } from '../../src/queries/evaluation/tryOut.ts'
import { expressionOf } from '../engine/support/evaluate.ts'
import { everyPauseYields } from '../support/everyPauseYields.ts'

const looked = vi.hoisted(() => ({ rules: 0 }))

vi.mock('../../src/engine/analyse/constantOutcome.ts', async (load) => {
  const module = await load<typeof import('../../src/engine/analyse/constantOutcome.ts')>()
  const constantOutcome: typeof module.constantOutcome = (...args) => {
    looked.rules += 1
    return module.constantOutcome(...args)
  }
  return { ...module, constantOutcome }
})

test('each rule of a draft is looked at once, one in a turn', async () => {
  everyPauseYields()
  const expression = expressionOf('signal.ip == "x" && signal.ip == "y"')
  const rules = Array.from({ length: 100 }, (_, at) => ({
    rule_id: `draft.recipes.0.rules.${at}`,
    type: 'CUSTOM' as const,
    name: '',
    version_id: '',
    weight: 1,
    read: () => expression,
  }))
  const recipe = {
    recipe_id: 'draft.recipes.0',
    version_id: '',
    status: 'LIVE' as const,
    threshold: 1,
    rules,
  }
  const plan = { flow_id: '', flow_version_id: '', semantics: semanticsVersion, recipes: [recipe] }
  let [before, most, done] = [0, 0, false]
  const look = (): void => {
    most = Math.max(most, looked.rules - before)
    before = looked.rules
    if (!done) setImmediate(look)
  }

  setImmediate(look)
  const warnings = await planWarnings(plan)
  done = true

  expect(looked.rules).toBe(100)
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(1)
  const codes = warnings.map(({ code }) => code)
  expect(codes[0]).toBe('recipe_never_flags')
  expect(codes.filter((code) => code === 'rule_never_triggers')).toHaveLength(rules.length)
})
