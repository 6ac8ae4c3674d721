import { describe, expect, test } from 'vitest'
import type { Expression } from '../../src/engine/language/expression.ts'
import type { RecipeResult } from '../../src/engine/run/result.ts'
import {
  compile,
  evidenceOf,
  onlyRule,
  outcomeOf,
  planOf,
  recipeOf,
  ruleOf,
} from './support/evaluate.ts'

const largest = Number.MAX_SAFE_INTEGER
const held = 'signal.existing_user'
const evidence = evidenceOf({ 'signal.existing_user': true })
const only = (results: readonly RecipeResult[]): RecipeResult => {
  const [result] = results
  if (!result) throw new Error('no recipe ran')
  return result
}

describe('a recipe', () => {
  test.each([
    [[largest, 2, -largest], 2],
    [[largest, largest, -largest, 1 - largest], 1],
    [[-largest, -2, largest, 3], 1],
    [[largest, 1], 100],
    [[-largest, -largest, largest, largest - 1], 0],
  ])(
    'whose weights are %j has the score %s, though numbers hold no sum on the way',
    (weights, score) => {
      const rules = weights.map((weight, at) => ruleOf(`r${at}`, held, { weight }))
      const decided = [...rules, ruleOf('last', held, { weight: 0, preempts: 'FLAG' })]

      const run = compile(planOf(recipeOf(rules), recipeOf(decided))).run(evidence)

      expect(run.recipes.map((recipe) => recipe.score)).toEqual([score, score])
    },
  )
})

describe('a rule', () => {
  test('with an expression of another time is unavailable, and the others run', () => {
    const at = [1, 1] as const
    const text = { kind: 'literal', type: 'string', value: 'a', at }
    const strange = [
      { kind: 'lambda', at },
      { kind: 'call', operator: 'soundsLike(string, string)', args: [text, text], at },
      {
        kind: 'call',
        operator: 'matches(string, string)',
        args: [text, { ...text, value: '(' }],
        at,
      },
      { kind: 'call', operator: '==', args: [], at },
      { kind: 'variable', name: 'x', at },
      { kind: 'exists', variable: 'x', list: text, body: text, at },
      null,
      'signal.ip',
    ] as unknown as Expression[]
    const rules = strange.map((expression, index) => ruleOf(`s${index}`, held, { expression }))

    const run = compile(planOf(recipeOf([...rules, ruleOf('a', held)]))).run(evidence)

    expect(only(run.recipes).rules.map((r) => r.unavailable ?? r.outcome)).toEqual([
      ...strange.map(() => true),
      'TRIGGERED',
    ])
  })

  test('over evidence of the wrong type is unavailable, and the next run is clean', () => {
    const compiled = onlyRule('signal.ip.startsWith("a")')

    const wrong = compiled.run(evidenceOf({ 'signal.ip': 3 }))
    const right = compiled.run(evidenceOf({ 'signal.ip': 'abc' }))

    expect(only(wrong.recipes).rules[0]?.unavailable).toBe(true)
    expect(only(right.recipes).rules[0]?.outcome).toBe('TRIGGERED')
  })
})

describe('evidence', () => {
  const plan = planOf(
    recipeOf([
      ruleOf('a', 'signal.ext.a == "1" || has(signal.ext.b)'),
      ruleOf('b', 'int(signal.ext.c) > 3 && phoneCountry(target.phone_number) == "FR"'),
      ruleOf('c', 'signal.ext.a != "1"'),
    ]),
  )

  test('that the rules read or ask for is known beforehand', () => {
    expect([...compile(plan).reads].sort()).toEqual([
      'phoneCountry(target.phone_number)',
      'signal.ext.a',
      'signal.ext.b',
      'signal.ext.c',
      'target.phone_number',
    ])
  })

  test('is never looked up on a prototype', () => {
    const names = ['toString', 'constructor', '__proto__', 'hasOwnProperty']

    for (const name of names) {
      expect(outcomeOf(`signal.ext["${name}"] == "x"`)).toBe(`missing signal.ext.${name}`)
      expect(outcomeOf(`has(signal.ext["${name}"])`)).toBe('false')
      expect(
        outcomeOf(`signal.ext.${name} == "x"`.replace('.__proto__', '["__proto__"]'), {
          [`signal.ext.${name}`]: 'x',
        }),
      ).toBe('true')
    }
  })
})

describe('work has bounds', () => {
  const many = `[${Array.from({ length: 120 }, (_, i) => i)}]`
  const deep = `${many}.all(a, ${many}.all(b, ${many}.all(c, ${many}.all(d, a + b + c + d + int(signal.ext.n) >= 0))))`
  const texts = (text: string) => `signal.ext.s.matches("${text}")`
  const long = 'ab'.repeat(4096)

  test('a rule that could take too many steps runs as long as it does not', () => {
    expect(outcomeOf(deep, { 'signal.ext.n': '-1' })).toBe('false')
  })

  test('a rule that takes too many steps is unavailable', () => {
    expect(outcomeOf(deep, { 'signal.ext.n': '0' })).toBe('unavailable')
  })

  test('texts that grow in every loop are cut off', () => {
    const growing = Array.from(
      { length: 15 },
      (_, i) => `[x${i} + x${i} + x${i} + x${i}].exists(x${i + 1}, `,
    )
    const rule = `[signal.ext.s].exists(x0, ${growing.join('')}x15.contains("z")${')'.repeat(16)}`

    expect(outcomeOf(rule, { 'signal.ext.s': 'a'.repeat(8192) })).toBe('unavailable')
    expect(outcomeOf(rule, { 'signal.ext.s': 'a' })).toBe('unavailable')
  })

  test('a large pattern over a long text is cut off, over a usual one it is not', () => {
    const rule = texts(`(?i)(${Array.from({ length: 90 }, (_, i) => `x${i}y`).join('|')})$`)

    expect(outcomeOf(rule, { 'signal.ext.s': long })).toBe('unavailable')
    expect(outcomeOf(rule, { 'signal.ext.s': long.slice(0, 200) })).toBe('false')
  })

  test('the rules of one run together have a bound too; those before it are not touched by it', () => {
    const rules = Array.from({ length: 60 }, (_, i) =>
      ruleOf(`r${i}`, texts(`a[^${i}]*z${i}[0-9]`)),
    )
    const compiled = compile(planOf(recipeOf([...rules, ruleOf('cheap', held)])))

    const heavy = compiled.run(evidenceOf({ 'signal.ext.s': long, 'signal.existing_user': true }))
    const light = compiled.run(
      evidenceOf({ 'signal.ext.s': long.slice(0, 100), 'signal.existing_user': true }),
    )

    const outcomes = only(heavy.recipes).rules.map((r) => (r.unavailable ? 'U' : r.outcome[0]))
    expect(outcomes.join('')).toMatch(/^N+U+T$/)
    expect(only(light.recipes).partial_evidence).toBe(false)
  })
})
