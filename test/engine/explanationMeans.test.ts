import { describe, expect, test } from 'vitest'
import { explain } from '../../src/engine/explain/explain.ts'
import type { Trace } from '../../src/engine/explain/traceNodes.ts'
import { compile, evidenceOf, planOf, recipeOf, ruleOf, type Values } from './support/evaluate.ts'

const numbers = (count: number) => `[${Array.from({ length: count }, (_, at) => at)}]`

async function partsOf(
  rules: readonly string[],
  values: Values,
): Promise<readonly (Trace | undefined)[]> {
  const plan = compile(planOf(recipeOf(rules.map((rule, at) => ruleOf(`r${at}`, rule)))))
  const [recipe] = await explain(plan, evidenceOf(values), { managed: 'shown', parts: true })
  return (recipe?.rules ?? []).map(({ parts }) => parts)
}

function all(trace: Trace | undefined): readonly Trace[] {
  return trace ? [trace, ...(trace.parts ?? []).flatMap(all)] : []
}

describe('what an explanation takes', () => {
  const text = 'ab'.repeat(4000)
  const heavy = `${numbers(300)}.exists(x, (signal.ext.a + "").matches("(?:[a-f]|x)+y$") && x > 0)`

  test('of a part that the rule did not need is as bounded as the rule', async () => {
    const [parts] = await partsOf([`signal.existing_user || ${heavy}`], {
      'signal.existing_user': true,
      'signal.ext.a': text,
    })

    const matched = all(parts).filter(({ text: shown }) => shown.includes('.matches('))
    const computed = matched.filter(({ state, parts: below }) => state === 'value' && below)
    expect(parts).toMatchObject({ state: 'value', value: true })
    expect(computed.length).toBeLessThan(10)
    expect(all(parts).filter(({ state }) => state === 'not_evaluated').length).toBeGreaterThan(0)
  })

  test('is shared by all rules', async () => {
    const rules = Array.from({ length: 60 }, () => `signal.existing_user || ${heavy}`)

    const shown = await partsOf(rules, { 'signal.existing_user': true, 'signal.ext.a': text })

    const computed = shown
      .flatMap(all)
      .filter(({ text: of, state }) => of.startsWith('(signal.ext.a + "").m') && state === 'value')
    expect(computed.length).toBeLessThan(20)
    expect(shown.every((parts) => parts?.value === true)).toBe(true)
  })

  test('counts a long value that is shown again and again for as long as it is', async () => {
    const rule = `${numbers(150)}.all(x, size(signal.ext.a + "x") > x)`

    const [parts] = await partsOf([rule], { 'signal.ext.a': text })

    expect(JSON.stringify(parts).length).toBeLessThan(1_000_000)
    expect(parts).toMatchObject({ state: 'value', value: true })
  })

  test('leaves a rule of usual size whole', async () => {
    const rule = `signal.user_agent.contains("x") || ["a", "b"].exists(w, signal.ext.note.contains(w))`

    const [parts] = await partsOf([rule], {
      'signal.user_agent': 'y'.repeat(300),
      'signal.ext.note': 'b',
    })

    expect(all(parts).filter(({ state }) => state === 'not_evaluated')).toEqual([])
  })
})
