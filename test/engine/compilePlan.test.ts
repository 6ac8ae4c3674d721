import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Expression } from '../../src/engine/language/expression.ts'
import { limits } from '../../src/engine/language/limits.ts'
import type { Plan, PlannedRecipe, PlannedRule } from '../../src/engine/run/plan.ts'
import { expandResult } from '../../src/engine/run/record.ts'
import type { RecipeResult, RuleResult } from '../../src/engine/run/result.ts'
import { draws } from '../support/draws.ts'
import {
  compile,
  evidenceOf,
  expressionOf,
  onlyRule,
  outcomeOf,
  planOf,
  recipeOf,
  ruleOf,
} from './support/evaluate.ts'

const largest = Number.MAX_SAFE_INTEGER
const held = 'signal.existing_user'
const notHeld = '!signal.existing_user'
const waiting = 'signal.ip == "x"'
const evidence = evidenceOf({ 'signal.existing_user': true })
const only = (results: readonly RecipeResult[]): RecipeResult => {
  const [result] = results
  if (!result) throw new Error('no recipe ran')
  return result
}

const { ['expression']: _, ...withoutExpression } = ruleOf('rul_gone', 'true')
const texts: readonly (readonly [string, RuleResult['outcome']])[] = [
  [held, 'TRIGGERED'],
  [notHeld, 'NOT_TRIGGERED'],
  [waiting, 'NOT_EVALUATED'],
]
const expressions = new Map(texts.map(([text]) => [text, expressionOf(text)]))

const arbitraryPlannedRule: fc.Arbitrary<Omit<PlannedRule, 'rule_id'>> = fc
  .record({
    text: fc.constantFrom(held, notHeld, waiting, ''),
    type: fc.constantFrom('CUSTOM' as const, 'MANAGED' as const),
    weight: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: -120, max: 120 }) },
      { weight: 1, arbitrary: fc.maxSafeInteger() },
      { weight: 1, arbitrary: fc.constantFrom(largest, -largest, largest - 1, 1 - largest) },
    ),
    preempts: fc.option(fc.constantFrom('FLAG' as const, 'PASS' as const), {
      nil: undefined,
      freq: 4,
    }),
    name: fc.string({ unit: 'grapheme' }),
  })
  .map(({ text, preempts, ...rule }) => {
    const expression = expressions.get(text)
    return {
      ...rule,
      version_id: 'ver_1',
      ...(preempts && { preempts }),
      ...(expression && { expression }),
    }
  })
const arbitraryRecipe = fc
  .record({
    status: fc.constantFrom('LIVE' as const, 'SHADOW' as const),
    threshold: fc.integer({ min: -10, max: 110 }),
    rules: fc.array(arbitraryPlannedRule, { maxLength: 8 }),
  })
  .map(({ rules, ...recipe }) =>
    recipeOf(
      rules.map((rule, index) => ({ ...rule, rule_id: `rul_${index}` })),
      recipe,
    ),
  )
const arbitraryPlan: fc.Arbitrary<Plan> = fc
  .array(arbitraryRecipe, { maxLength: 4 })
  .map((recipes) => planOf(...recipes.map((r, index) => ({ ...r, recipe_id: `rcp_${index}` }))))

const arbitraryEvidence = fc.constantFrom(
  evidence,
  evidenceOf({}),
  evidenceOf({ 'signal.existing_user': false, 'signal.ip': 'x' }),
)

/** The recipes of a plan with their results, live and shadow. */
function pairs(plan: Plan, of: Parameters<ReturnType<typeof compile>['run']>[0] = evidence) {
  const run = compile(plan).run(of)
  return run.runs.map(({ recipe, result }): [PlannedRecipe, RecipeResult] => [
    recipe.planned,
    result,
  ])
}

describe('the sentences of the spec, for any plan', () => {
  const holds = (sentence: (planned: PlannedRecipe, result: RecipeResult) => void) =>
    fc.assert(
      fc.property(arbitraryPlan, arbitraryEvidence, (plan, of) => {
        for (const [planned, result] of pairs(plan, of)) sentence(planned, result)
      }),
      { numRuns: draws(300) },
    )

  test('recipes keep the order of the flow, live ones apart from shadow ones', () => {
    fc.assert(
      fc.property(arbitraryPlan, (plan) => {
        const run = compile(plan).run(evidence)
        const ids = (status: string) =>
          plan.recipes.filter((r) => r.status === status).map((r) => r.recipe_id)

        expect(run.recipes.map((r) => r.recipe_id)).toEqual(ids('LIVE'))
        expect(run.shadow.map((r) => r.recipe_id)).toEqual(ids('SHADOW'))
      }),
    )
  })

  test('rules keep the order of membership, each with its weight', () => {
    holds((planned, result) => {
      const members = (rules: readonly { rule_id: string; weight: number }[]) =>
        rules.map(({ rule_id, weight }) => [rule_id, weight])

      expect(members(result.rules)).toEqual(members(planned.rules))
    })
  })

  test('the score is the sum of the weights that triggered, within 0 and 100', () => {
    holds((_, { rules, score }) => {
      const triggered = rules.filter(({ outcome }) => outcome === 'TRIGGERED')
      const sum = triggered.reduce((total, { weight }) => total + BigInt(weight), 0n)

      expect(score).toBe(sum > 100n ? 100 : sum < 0n ? 0 : Number(sum))
      expect(Object.is(score, -0)).toBe(false)
    })
  })

  test('without determined_by the verdict is score against threshold', () => {
    holds((_, { determined_by, verdict, score, threshold }) => {
      if (determined_by === undefined) expect(verdict).toBe(score >= threshold ? 'FLAG' : 'PASS')
    })
  })

  test('partial_evidence if and only if a rule was not evaluated', () => {
    holds((_, { rules, partial_evidence }) => {
      expect(partial_evidence).toBe(rules.some(({ outcome }) => outcome === 'NOT_EVALUATED'))
    })
  })

  test('determined_by if and only if a preempting rule triggered; the rules after it are skipped', () => {
    holds((planned, { rules, determined_by, verdict }) => {
      const decisive = rules.findIndex(
        ({ outcome }, index) => outcome === 'TRIGGERED' && planned.rules[index]?.preempts,
      )
      const skipped = rules.map(({ outcome }) => outcome === 'SKIPPED')

      expect(determined_by).toBe(rules[decisive]?.rule_id)
      expect(skipped).toEqual(rules.map((_, index) => decisive !== -1 && index > decisive))
      if (decisive !== -1) expect(verdict).toBe(planned.rules[decisive]?.preempts)
    })
  })

  test('the verdict is FLAG if and only if a live recipe flags', () => {
    fc.assert(
      fc.property(arbitraryPlan, (plan) => {
        const { verdict, recipes } = compile(plan).run(evidence)

        expect(verdict).toBe(recipes.some((r) => r.verdict === 'FLAG') ? 'FLAG' : 'PASS')
      }),
    )
  })

  test('a managed rule shows neither name nor version nor what it waits for', () => {
    holds((planned, { rules }) => {
      for (const [index, rule] of rules.entries()) {
        const managed = planned.rules[index]?.type === 'MANAGED'
        expect('name' in rule).toBe(!managed)
        expect('version_id' in rule).toBe(!managed)
        if (rule.blocked_by !== undefined) {
          expect(rule.blocked_by === 'missing_data').toBe(managed)
        }
      }
    })
  })

  test('fields stand in the order of the spec and absent ones are absent', () => {
    const ruleFields = 'rule_id type name version_id weight outcome blocked_by unavailable'.split(
      ' ',
    )
    const recipeFields =
      'recipe_id threshold score verdict partial_evidence determined_by rules'.split(' ')
    const inOrder = (value: object, fields: readonly string[]) => {
      expect(Object.keys(value)).toEqual(fields.filter((field) => field in value))
      expect(Object.values(value)).not.toContain(undefined)
    }

    holds((_, result) => {
      inOrder(result, recipeFields)
      for (const rule of result.rules) inOrder(rule, ruleFields)
    })
  })

  test('the answer in text is what JSON.stringify makes of it', () => {
    fc.assert(
      fc.property(arbitraryPlan, arbitraryEvidence, fc.string(), (plan, of, id) => {
        const compiled = compile(plan)
        const run = compiled.run(of)
        const { verdict, recipes } = run

        expect(compiled.render(id, run)).toBe(JSON.stringify({ id, verdict, recipes }))
      }),
      { numRuns: draws(300) },
    )
  })

  test('the record and the plan give the result back', () => {
    fc.assert(
      fc.property(arbitraryPlan, arbitraryEvidence, (plan, of) => {
        const compiled = compile(plan)
        const run = compiled.run(of)
        const { verdict, recipes, shadow } = run
        const recorded = JSON.parse(JSON.stringify(compiled.record(run)))

        const expanded = expandResult(JSON.parse(JSON.stringify(plan)), recorded)

        expect(JSON.stringify(expanded)).toBe(JSON.stringify({ verdict, recipes, shadow }))
      }),
      { numRuns: draws(300) },
    )
  })

  test('the same evidence gives the same result, whatever ran in between', () => {
    fc.assert(
      fc.property(arbitraryPlan, arbitraryEvidence, (plan, between) => {
        const compiled = compile(plan)
        const first = JSON.stringify(compiled.run(evidence))
        compiled.run(between)

        expect(JSON.stringify(compiled.run(evidence))).toBe(first)
      }),
    )
  })
})

describe('a recipe', () => {
  test('flags at its threshold, not one below', () => {
    const of = (threshold: number) =>
      only(compile(planOf(recipeOf([ruleOf('a', held)], { threshold }))).run(evidence).recipes)

    expect(of(10)).toMatchObject({ score: 10, verdict: 'FLAG' })
    expect(of(11)).toMatchObject({ score: 10, verdict: 'PASS' })
  })

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

  test('with threshold 0 always flags, even without rules', () => {
    const plan = planOf(recipeOf([], { threshold: 0 }))

    expect(compile(plan).run(evidence).verdict).toBe('FLAG')
  })

  test('counts a rule that preempts, and nothing after it', () => {
    const rules = [
      ruleOf('a', held),
      ruleOf('b', held, { preempts: 'FLAG', weight: 5 }),
      ruleOf('c', held),
      ruleOf('d', waiting),
    ]

    const result = only(compile(planOf(recipeOf(rules))).run(evidence).recipes)

    expect(result).toMatchObject({
      score: 15,
      verdict: 'FLAG',
      determined_by: 'b',
      partial_evidence: false,
    })
    expect(result.rules.slice(2)).toEqual([
      {
        rule_id: 'c',
        type: 'CUSTOM',
        name: 'name of c',
        version_id: 'ver_c',
        weight: 10,
        outcome: 'SKIPPED',
      },
      {
        rule_id: 'd',
        type: 'CUSTOM',
        name: 'name of d',
        version_id: 'ver_d',
        weight: 10,
        outcome: 'SKIPPED',
      },
    ])
  })

  test('can pass by a rule although its score reaches the threshold', () => {
    const rules = [ruleOf('a', held, { weight: 90 }), ruleOf('b', held, { preempts: 'PASS' })]

    const result = only(compile(planOf(recipeOf(rules))).run(evidence).recipes)

    expect(result).toMatchObject({ score: 100, verdict: 'PASS', determined_by: 'b' })
  })

  test('in shadow runs, is recorded and changes no verdict', () => {
    const compiled = compile(
      planOf(recipeOf([ruleOf('a', held)], { threshold: 1, status: 'SHADOW' })),
    )

    const run = compiled.run(evidence)

    expect(run).toMatchObject({ verdict: 'PASS', recipes: [], shadow: [{ verdict: 'FLAG' }] })
    expect(compiled.render('evl_1', run)).toBe('{"id":"evl_1","verdict":"PASS","recipes":[]}')
    expect(compiled.record(run)).toEqual([
      { recipe_id: 'rcp_1', score: 10, verdict: 'FLAG', outcomes: 'T', blocked_by: [] },
    ])
  })
})

describe('a rule', () => {
  test('without expression is unavailable', () => {
    const result = only(compile(planOf(recipeOf([withoutExpression]))).run(evidence).recipes)

    expect(result.partial_evidence).toBe(true)
    expect(result.rules[0]).toMatchObject({ outcome: 'NOT_EVALUATED', unavailable: true })
    expect(result.rules[0]).not.toHaveProperty('blocked_by')
  })

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

  test('that fails and then meets evidence of the wrong type leaves nothing to the next one', () => {
    const rules = [
      ruleOf('a', '1 / int(signal.ext.zero) == 1 || signal.ip.startsWith("a")'),
      ruleOf('b', 'signal.ext.zero == "0"'),
    ]

    const run = compile(planOf(recipeOf(rules))).run(
      evidenceOf({ 'signal.ext.zero': '0', 'signal.ip': 3 }),
    )

    expect(only(run.recipes).rules.map((r) => r.unavailable ?? r.outcome)).toEqual([
      true,
      'TRIGGERED',
    ])
  })

  test('gives beside others, some of which fail, what it gives alone', () => {
    const given = { 'signal.ext.zero': '0', 'signal.ext.word': 'abc', 'signal.ip': 3 }
    const texts = [
      'signal.ext.zero == "0"',
      'signal.ext.word == "0"',
      '1 / int(signal.ext.zero) == 1',
      'int(signal.ext.zero + signal.ext.word) == 1',
      'signal.ip.startsWith("a")',
      '1 / int(signal.ext.zero) == 1 || signal.ip.startsWith("a")',
      'signal.ext.zero.startsWith("0")',
    ]
    const alone = new Map(
      texts.map((text) => [text, only(onlyRule(text).run(evidenceOf(given)).recipes).rules[0]]),
    )
    const shown = (rule: RuleResult | undefined) =>
      rule && [rule.outcome, rule.blocked_by, rule.unavailable]

    fc.assert(
      fc.property(fc.array(fc.constantFrom(...texts), { maxLength: 8 }), (chosen) => {
        const rules = chosen.map((text, index) => ruleOf(`r${index}`, text))
        const { recipes } = compile(planOf(recipeOf(rules))).run(evidenceOf(given))

        expect(only(recipes).rules.map(shown)).toEqual(chosen.map((text) => shown(alone.get(text))))
      }),
    )
    expect(new Set([...alone.values()].map((rule) => String(shown(rule)))).size).toBe(4)
  })

  test('sees what arrived this time, also where a function is computed once for many rules', () => {
    const rules = [
      ruleOf('a', 'emailDomain(target.email_address) == "a.com"'),
      ruleOf('b', 'emailDomain(target.email_address) != "a.com"'),
      ruleOf('c', 'inCidr(signal.ip, "10.0.0.0/8")'),
    ]
    const compiled = compile(planOf(recipeOf(rules)))
    const outcomes = (email: string, ip: string) =>
      only(
        compiled.run(evidenceOf({ 'target.email_address': email, 'signal.ip': ip })).recipes,
      ).rules.map((r) => r.outcome)

    expect(outcomes('x@a.com', '10.0.0.1')).toEqual(['TRIGGERED', 'NOT_TRIGGERED', 'TRIGGERED'])
    expect(outcomes('x@b.com', '11.0.0.1')).toEqual(['NOT_TRIGGERED', 'TRIGGERED', 'NOT_TRIGGERED'])
    expect(outcomes('nobody', '10.0.0.1')).toEqual(['NOT_EVALUATED', 'NOT_EVALUATED', 'TRIGGERED'])
  })

  test('that failed leaves nothing to the next one', () => {
    const rules = [
      ruleOf('a', '1 / int(signal.ext.zero) == 1'),
      ruleOf('b', 'signal.ext.zero == "0"'),
      ruleOf('c', 'int(signal.ext.zero) == 0'),
    ]

    const run = compile(planOf(recipeOf(rules))).run(evidenceOf({ 'signal.ext.zero': '0' }))

    expect(only(run.recipes).rules.map((r) => r.outcome)).toEqual([
      'NOT_EVALUATED',
      'TRIGGERED',
      'TRIGGERED',
    ])
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

  test('that no rule reads changes nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (extra) => {
        const base = { 'signal.ext.a': '1', 'target.phone_number': '+33612345678' }
        const more = Object.fromEntries(
          Object.entries(extra)
            .filter(([key]) => !['a', 'b', 'c'].includes(key))
            .map(([key, value]) => [`signal.ext.${key}`, value]),
        )
        const compiled = compile(plan)

        expect(JSON.stringify(compiled.run(evidenceOf({ ...base, ...more })))).toBe(
          JSON.stringify(compiled.run(evidenceOf(base))),
        )
      }),
    )
  })

  test('that is an empty text equals none', () => {
    const compiled = compile(plan)
    const names = ['signal.ext.a', 'signal.ext.b', 'signal.ext.c', 'target.phone_number']

    for (const name of names) {
      const full = {
        'signal.ext.a': '2',
        'signal.ext.b': '1',
        'signal.ext.c': '5',
        'target.phone_number': '+33612345678',
      }
      const { [name as keyof typeof full]: _gone, ...without } = full

      expect(JSON.stringify(compiled.run(evidenceOf({ ...full, [name]: '' })))).toBe(
        JSON.stringify(compiled.run(evidenceOf(without))),
      )
    }
  })

  test('that the rules read or ask for is known beforehand', () => {
    expect([...compile(plan).reads].sort()).toEqual([
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

  test('limits cannot be changed', () => {
    expect(Object.isFrozen(limits)).toBe(true)
  })
})

test('a record that is not of the plan is refused', () => {
  const plan = planOf(recipeOf([ruleOf('a', held)]))
  const [recorded] = compile(plan).record(compile(plan).run(evidence))
  if (!recorded) throw new Error('nothing recorded')

  expect(() => expandResult(plan, [])).toThrow('not of this plan')
  expect(() => expandResult(plan, [{ ...recorded, recipe_id: 'rcp_2' }])).toThrow(
    'not of this plan',
  )
  expect(() => expandResult(plan, [{ ...recorded, outcomes: 'TT' }])).toThrow('not of this plan')
})
