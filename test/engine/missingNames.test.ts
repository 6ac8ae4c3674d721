import { describe, expect, test } from 'vitest'
import type { PlannedRule } from '../../src/engine/run/plan.ts'
import { compile, evidenceOf, planOf, recipeOf, ruleOf, type Values } from './support/evaluate.ts'

const recordOf = (rules: readonly PlannedRule[], values: Values = {}) => {
  const plan = compile(planOf(recipeOf(rules)))
  return plan.encodeRun(plan.run(evidenceOf(values)))
}
const blockedBy = (text: string, values: Values = {}) => {
  const { recipes, missing } = recordOf([ruleOf('a', text)], values)
  return recipes[0]?.blocked_by?.[0]?.map((index) => missing?.[index]?.join(' '))
}

describe('a rule that is not evaluated is recorded with', () => {
  test.each<[string, Values, readonly string[]]>([
    [
      'signal.ext.a == signal.ext.b || signal.ext.c == "1"',
      { 'signal.ext.b': 'x' },
      ['signal.ext.a absent', 'signal.ext.c absent'],
    ],
    ['signal.ext.a == signal.ext.a', {}, ['signal.ext.a absent']],
    ['int(signal.ext.a) > 1 && signal.ext.a != ""', {}, ['signal.ext.a absent']],
    [
      'int(signal.ext.a) > 1 && signal.ext.b == "x"',
      { 'signal.ext.a': 'many' },
      ['signal.ext.a not_convertible', 'signal.ext.b absent'],
    ],
    ['1 / int(signal.ext.a) > 1', { 'signal.ext.a': '0' }, ['signal.ext.a function_failed']],
    [
      'phoneCountry(signal.ext.a) == "FR"',
      { 'signal.ext.a': 'no' },
      ['signal.ext.a function_failed'],
    ],
    ['signal.ext.a == ""', { 'signal.ext.a': '' }, ['signal.ext.a absent']],
  ])('every name that it needed, and why: %s', (text, values, names) => {
    expect(blockedBy(text, values)).toEqual(names)
  })

  test.each<[string, Values, readonly string[]]>([
    [
      'has(signal.ext.a) ? signal.ext.b == signal.ext.c : signal.ext.d == signal.ext.e',
      {},
      ['signal.ext.d absent', 'signal.ext.e absent'],
    ],
    [
      'has(signal.ext.a) ? signal.ext.b == signal.ext.c : signal.ext.d == "1"',
      { 'signal.ext.a': '1' },
      ['signal.ext.b absent', 'signal.ext.c absent'],
    ],
    [
      'signal.ext.x == "1" && (has(signal.ext.a) && signal.ext.a == "1" || signal.ext.b == "1")',
      {},
      ['signal.ext.x absent', 'signal.ext.b absent'],
    ],
    [
      'signal.existing_user ? signal.ext.b == "1" : has(signal.ext.c) || signal.ext.c == "1"',
      { 'signal.existing_user': true },
      ['signal.ext.b absent', 'signal.ext.c absent'],
    ],
  ])('those alone that its guards let be reached: %s', (text, values, names) => {
    expect(blockedBy(text, values)).toEqual(names)
  })
})

describe('names that several rules wait for', () => {
  const rules = [
    ruleOf('a', 'signal.ip == signal.ext.a'),
    ruleOf('b', 'signal.ext.a == "1"'),
    ruleOf('m', 'signal.ip == signal.device_id', { type: 'MANAGED' }),
  ]

  test('stand once in the record, those of managed rules apart', () => {
    expect(recordOf(rules)).toMatchObject({
      recipes: [{ outcomes: 'MMM', blocked_by: [[0, 1], [1], [-1, -2]] }],
      missing: [
        ['signal.ip', 'absent'],
        ['signal.ext.a', 'absent'],
      ],
      missing_managed: [
        ['signal.ip', 'absent'],
        ['signal.device_id', 'absent'],
      ],
    })
  })

  test('take no room where nothing is missing', () => {
    const all = { 'signal.ip': 'x', 'signal.device_id': 'y', 'signal.ext.a': '1' }
    const { recipes, ...tables } = recordOf(rules, all)

    expect(Object.keys(recipes[0] ?? {})).toEqual(['recipe_id', 'score', 'verdict', 'outcomes'])
    expect(tables).toEqual({})
  })
})

const loops = (n: string) => {
  const numbers = `[${Array.from({ length: 60 }, (_, at) => at)}]`
  return `${numbers}.all(a, ${numbers}.all(b, ${numbers}.all(c, a + b + c + int(${n}) >= 0)))`
}

describe('rules behind one that overrides', () => {
  const behind = [
    ruleOf('o', 'signal.existing_user', { preempts: 'PASS' }),
    ruleOf('t', 'signal.existing_user'),
    ruleOf('n', '!signal.existing_user'),
    ruleOf('w', 'signal.ip == "x"'),
    ruleOf('f', '1 / int(signal.ext.n) == 1', { preempts: 'FLAG' }),
    ruleOf('u', 'signal.existing_user', { expression: 'gone' as never }),
  ]
  const values = { 'signal.existing_user': true, 'signal.ext.n': '0' }

  test('are skipped in the answer, and recorded with what they would have said', () => {
    const plan = compile(planOf(recipeOf(behind)))
    const run = plan.run(evidenceOf(values))

    expect(run.recipes[0]?.rules.map(({ outcome }) => outcome).slice(1)).toEqual(
      Array.from({ length: 5 }, () => 'SKIPPED'),
    )
    expect(run.recipes[0]).toMatchObject({ score: 10, verdict: 'PASS', determined_by: 'o' })
    expect(plan.encodeRun(run)).toMatchObject({
      recipes: [{ outcomes: 'TSSSSS', skipped: 'TNMMU', blocked_by: [[0], [1]] }],
      missing: [
        ['signal.ip', 'absent'],
        ['signal.ext.n', 'function_failed'],
      ],
    })
  })

  test('take no steps from the rules that are answered', () => {
    const dear = Array.from({ length: 8 }, (_, at) => ruleOf(`d${at}`, loops('signal.ext.n')))
    const first = recipeOf([ruleOf('o', 'signal.existing_user', { preempts: 'PASS' }), ...dear])
    const last = recipeOf(dear.slice(0, 2), { recipe_id: 'rcp_2' })
    const plan = compile(planOf(first, last))

    const run = plan.run(evidenceOf({ 'signal.existing_user': true, 'signal.ext.n': '1' }))

    expect(run.recipes[1]?.rules.map(({ unavailable }) => unavailable)).toEqual(
      compile(planOf(last))
        .run(evidenceOf({ 'signal.ext.n': '1' }))
        .recipes[0]?.rules.map(({ unavailable }) => unavailable),
    )
    const { skipped } = plan.encodeRun(run).recipes[0] ?? {}
    expect(skipped).toHaveLength(8)
    expect(skipped).toContain('U')
  })
})
