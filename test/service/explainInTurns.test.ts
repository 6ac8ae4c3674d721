import { expect, test, vi } from 'vitest'
import { explain, explainByRule } from '../../src/engine/explain/explain.ts'
import { explainInTurns } from '../../src/service/evaluation/findEvaluation.ts'
import { compile, evidenceOf, planOf, recipeOf, ruleOf } from '../engine/support/evaluate.ts'

const explained = vi.hoisted(() => ({ rules: 0 }))

vi.mock('../../src/engine/explain/seen.ts', async (load) => {
  const module = await load<typeof import('../../src/engine/explain/seen.ts')>()
  const seenBy: typeof module.seenBy = (...args) => {
    explained.rules += 1
    return module.seenBy(...args)
  }
  return { ...module, seenBy }
})

test('of many explanations that end together one goes on in a turn', async () => {
  const compiled = compile(planOf(recipeOf([ruleOf('r', 'signal.ip == "x"')])))
  const evidence = evidenceOf({ 'signal.ip': 'x' })
  let [ended, before, most, done] = [0, 0, 0, false]
  const look = (): void => {
    most = Math.max(most, ended - before)
    before = ended
    if (!done) setImmediate(look)
  }

  setImmediate(look)
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const explaining = explainByRule(compiled, evidence, { managed: 'shown' })
      await explainInTurns(explaining, async (piece) => piece())
      ended += 1
    }),
  )
  done = true

  expect(ended).toBe(8)
  expect(most).toBe(1)
})

test('of a flow of many rules one is explained at a time, and what comes of it is the same', async () => {
  const rules = Array.from({ length: 40 }, (_, at) => ruleOf(`r${at}`, `signal.ip == "${at}"`))
  const compiled = compile(planOf(recipeOf(rules), recipeOf(rules.slice(0, 5))))
  const evidence = evidenceOf({ 'signal.ip': '7' })
  const options = { managed: 'shown', parts: true } as const
  const pieces: number[] = []

  const recipes = await explainInTurns(
    explainByRule(compiled, evidence, options),
    async (piece) => {
      const before = explained.rules
      const step = piece()
      pieces.push(explained.rules - before)
      return step
    },
  )

  expect(pieces.reduce((sum, rulesOfPiece) => sum + rulesOfPiece, 0)).toBe(45)
  expect(Math.max(...pieces)).toBe(1)
  expect(recipes).toEqual(explain(compiled, evidence, options))
})
