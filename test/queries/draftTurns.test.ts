/** Drafts of many rules: one rule after the other, and others have their turn between them. */

import { beforeEach, expect, test, vi } from 'vitest'
import { runInSlices } from '../../src/domain/load/scheduler.ts'
import { semanticsVersion } from '../../src/engine/language/semantics.ts'
import { compileDraft } from '../../src/queries/evaluation/draftFlow.ts'
import { listPlanWarnings } from '../../src/queries/evaluation/dryRun.ts'
import { expressionOf } from '../engine/support/evaluate.ts'
import { everyPauseYields } from '../support/everyPauseYields.ts'
import { load } from '../support/load.ts'

const rules = vi.hoisted(() => ({ parsed: 0, looked: 0 }))

vi.mock('../../src/engine/language/parse/parseRule.ts', async (load) => {
  const module = await load<typeof import('../../src/engine/language/parse/parseRule.ts')>()
  const parseRule: typeof module.parseRule = (...args) => {
    rules.parsed += 1
    return module.parseRule(...args)
  }
  return { ...module, parseRule }
})

vi.mock('../../src/engine/analyse/constantOutcome.ts', async (load) => {
  const module = await load<typeof import('../../src/engine/analyse/constantOutcome.ts')>()
  const findConstantOutcome: typeof module.findConstantOutcome = (...args) => {
    rules.looked += 1
    return module.findConstantOutcome(...args)
  }
  return { ...module, findConstantOutcome }
})

beforeEach(() => everyPauseYields())

/** The most of it in one turn of the event loop, while the work is done. */
async function mostInOneTurn(of: 'parsed' | 'looked', work: () => Promise<void>): Promise<number> {
  let [before, most, done] = [rules[of], 0, false]
  const look = (): void => {
    most = Math.max(most, rules[of] - before)
    before = rules[of]
    if (!done) setImmediate(look)
  }
  setImmediate(look)
  await work()
  done = true
  return most
}

test('each rule is compiled in a turn of its own', async () => {
  const written = Array.from({ length: 40 }, (_, index) => ({
    weight: 1,
    expression: `signal.ext.a == "${index}"`,
  }))

  const most = await mostInOneTurn('parsed', async () => {
    const draft = await runInSlices(
      load,
      compileDraft({ recipes: [{ threshold: 50, rules: written }] }, new Map()),
    )
    expect(draft.recipes).toMatchObject([{ rules: { length: 40 } }])
  })

  expect(most).toBe(1)
})

test('each rule is looked at once for warnings, in a turn of its own', async () => {
  const expression = expressionOf('signal.ip == "x" && signal.ip == "y"')
  const ids = { name: '', version_id: '' }
  const planned = Array.from({ length: 100 }, (_, at) => ({
    ...{ ...ids, rule_id: `draft.recipes.0.rules.${at}`, type: 'CUSTOM' as const, weight: 1 },
    read: () => expression,
  }))
  const recipe = {
    ...{ recipe_id: 'draft.recipes.0', version_id: '', status: 'LIVE' as const, threshold: 1 },
    rules: planned,
  }
  const plan = { flow_id: '', flow_version_id: '', semantics: semanticsVersion, recipes: [recipe] }
  const before = rules.looked
  let codes: readonly string[] = []

  const most = await mostInOneTurn('looked', async () => {
    codes = (await runInSlices(load, listPlanWarnings(plan))).map(({ code }) => code)
  })

  expect([most, rules.looked - before]).toEqual([1, 100])
  expect(codes[0]).toBe('recipe_never_flags')
  expect(codes.filter((code) => code === 'rule_never_triggers')).toHaveLength(100)
})
