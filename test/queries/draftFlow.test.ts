import { expect, test, vi } from 'vitest'
import { compileDraft } from '../../src/queries/evaluation/draftFlow.ts'
import { everyPauseYields } from '../support/everyPauseYields.ts'

const parsed = vi.hoisted(() => ({ rules: 0 }))

vi.mock('../../src/engine/language/parse/parseRule.ts', async (load) => {
  const module = await load<typeof import('../../src/engine/language/parse/parseRule.ts')>()
  const parseRule: typeof module.parseRule = (...args) => {
    parsed.rules += 1
    return module.parseRule(...args)
  }
  return { ...module, parseRule }
})

test('of a draft of many rules one is compiled after the other, and others have their turn between them', async () => {
  everyPauseYields()
  const rules = Array.from({ length: 40 }, (_, index) => ({
    weight: 1,
    expression: `signal.ext.a == "${index}"`,
  }))
  let [before, most, done] = [parsed.rules, 0, false]
  const look = (): void => {
    most = Math.max(most, parsed.rules - before)
    before = parsed.rules
    if (!done) setImmediate(look)
  }

  setImmediate(look)
  const draft = await compileDraft({ recipes: [{ threshold: 50, rules }] }, new Map())
  done = true

  expect(draft.recipes).toMatchObject([{ rules: { length: 40 } }])
  expect(most).toBeLessThanOrEqual(1)
  expect(most).toBeGreaterThan(0)
})
