import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import {
  type ExplainedRead,
  type ExplainOptions,
  explain,
} from '../../src/engine/explain/explain.ts'
import type { Trace } from '../../src/engine/explain/traceNodes.ts'
import { parseTextByType } from '../../src/engine/language/operators/celFunctions.ts'
import { semanticsVersion, semanticsVersions } from '../../src/engine/language/semantics.ts'
import type { PlannedRule } from '../../src/engine/run/plan.ts'
import { draws } from '../support/draws.ts'
import { anyEvidence, anyRule } from './support/arbitraryGuardedRule.ts'
import { compile, evidenceOf, planOf, recipeOf, ruleOf, type Values } from './support/evaluate.ts'

async function explained(
  rule: PlannedRule,
  values: Values,
  {
    semantics = semanticsVersion,
    ...options
  }: Partial<ExplainOptions & { semantics: number }> = {},
) {
  const plan = { ...planOf(recipeOf([rule])), semantics }
  const [recipe] = runAtOnce(
    explain(compile(plan), evidenceOf(values), { parts: true, ...options }),
  )
  const [first] = recipe?.rules ?? []
  if (!first) throw new Error('nothing explained')
  return first
}

/** `text = value` or `text: state`, indented by level. */
function lines({ text, state, value, needed, parts }: Trace, level = 0): readonly string[] {
  const found = state === 'value' ? `= ${JSON.stringify(value)}` : `: ${state}`
  const own = `${'  '.repeat(level)}${text} ${found}${needed === false ? ' (not needed)' : ''}`
  return [own, ...(parts ?? []).flatMap((part) => lines(part, level + 1))]
}

async function partsOf(text: string, values: Values): Promise<readonly string[]> {
  const { parts } = await explained(ruleOf('a', text), values)
  return parts ? lines(parts) : []
}

describe('an explained rule', () => {
  test('says what it read, what arrived and where that came from', async () => {
    const evidence = new Map([
      ['signal.ip', { value: '203.0.113.7', source: 'dispatch' as const }],
      ['signal.ext.n', { value: '12', source: 'request' as const }],
      ['list.block', { value: true, source: 'list' as const }],
      ['signal.ext.empty', { value: '', source: 'request' as const }],
    ])
    const rule = ruleOf(
      'a',
      'list.block && int(signal.ext.n)>3 && signal.ip=="x" || has(signal.ext.empty) || signal.os_version == "1"',
    )

    const [recipe] = runAtOnce(explain(compile(planOf(recipeOf([rule]))), evidence, {}))

    expect(recipe).toEqual({
      recipe_id: 'rcp_1',
      threshold: 50,
      score: 0,
      verdict: 'PASS',
      partial_evidence: true,
      status: 'LIVE',
      rules: [
        {
          rule_id: 'a',
          type: 'CUSTOM',
          name: 'name of a',
          version_id: 'ver_a',
          weight: 10,
          outcome: 'NOT_EVALUATED',
          blocked_by: 'signal.os_version',
          expression:
            'list.block && int(signal.ext.n) > 3 && signal.ip == "x" || has(signal.ext.empty) || signal.os_version == "1"',
          reads: [
            { name: 'list.block', use: 'read', arrived: true, value: true, source: 'list' },
            {
              name: 'signal.ext.n',
              use: 'read',
              convert: 'int',
              arrived: true,
              value: '12',
              source: 'request',
            },
            {
              name: 'signal.ip',
              use: 'read',
              arrived: true,
              value: '203.0.113.7',
              source: 'dispatch',
            },
            { name: 'signal.ext.empty', use: 'has', arrived: false },
            { name: 'signal.os_version', use: 'read', arrived: false },
          ],
        },
      ],
    })
  })

  test('says of each read what was sent under its name and did not count', async () => {
    const notCounted = [
      { name: 'signal.ip', value: '192.0.2.1', source: 'request', reason: 'needs_dispatch' },
      {
        name: 'signal.existing_user',
        value: true,
        source: 'dispatch',
        reason: 'front_end_cannot_vouch',
      },
      {
        name: 'signal.existing_user',
        value: false,
        source: 'request',
        reason: 'dispatch_value_wins',
      },
      { name: 'signal.device_id', value: 'd', source: 'request', reason: 'needs_dispatch' },
    ] as const
    const rule = ruleOf('a', 'has(signal.ip) || signal.existing_user || signal.os_version == "1"')

    const { reads } = await explained(rule, {}, { notCounted })

    const [ip, claimed, other] = notCounted.map(({ name: _, ...signal }) => signal)
    expect(reads).toEqual([
      { name: 'signal.ip', use: 'has', arrived: false, not_counted: [ip] },
      { name: 'signal.existing_user', use: 'read', arrived: false, not_counted: [claimed, other] },
      { name: 'signal.os_version', use: 'read', arrived: false },
    ])
  })

  test('gives the value of every part, with its place', async () => {
    const { parts } = await explained(ruleOf('a', 'signal.existing_user &&\n  1 < 2'), {
      'signal.existing_user': true,
    })

    expect(parts).toEqual({
      text: 'signal.existing_user && 1 < 2',
      line: 1,
      column: 1,
      state: 'value',
      value: true,
      parts: [
        { text: 'signal.existing_user', line: 1, column: 1, state: 'value', value: true },
        {
          text: '1 < 2',
          line: 2,
          column: 3,
          state: 'value',
          value: true,
          parts: [
            { text: '1', line: 2, column: 3, state: 'value', value: 1 },
            { text: '2', line: 2, column: 7, state: 'value', value: 2 },
          ],
        },
      ],
    })
  })

  test('gives the value of parts that were not needed, and says so', async () => {
    expect(
      await partsOf('signal.existing_user || signal.ip == "x"', {
        'signal.existing_user': true,
        'signal.ip': 'y',
      }),
    ).toEqual([
      'signal.existing_user || signal.ip == "x" = true',
      '  signal.existing_user = true',
      '  signal.ip == "x" = false (not needed)',
      '    signal.ip = "y"',
      '    "x" = "x"',
    ])
    expect(await partsOf('(false ? 1 : 2) == 2', {})).toEqual([
      '(false ? 1 : 2) == 2 = true',
      '  false ? 1 : 2 = 2',
      '    false = false',
      '    1 = 1 (not needed)',
      '    2 = 2',
      '  2 = 2',
    ])
  })

  test('says what did not arrive and what rests on it, and gives the value of all the rest', async () => {
    expect(
      await partsOf('int(signal.ext.n) > 3 && signal.ip == "x"', {
        'signal.ip': 'x',
        'signal.ext.n': 'few',
      }),
    ).toEqual([
      'int(signal.ext.n) > 3 && signal.ip == "x" : missing',
      '  int(signal.ext.n) > 3 : missing',
      '    int(signal.ext.n) : missing',
      '    3 = 3',
      '  signal.ip == "x" = true',
      '    signal.ip = "x"',
      '    "x" = "x"',
    ])
    expect(await partsOf('(2 > 1 || list.block) && (1 > 2 ? list.block : true)', {})).toEqual([
      '(2 > 1 || list.block) && (1 > 2 ? list.block : true) : missing',
      '  2 > 1 || list.block : missing',
      '    2 > 1 = true',
      '      2 = 2',
      '      1 = 1',
      '    list.block : missing',
      '  1 > 2 ? list.block : true : missing',
      '    1 > 2 = false',
      '      1 = 1',
      '      2 = 2',
      '    list.block : missing',
      '    true = true',
    ])
  })

  test('says what failed', async () => {
    const text = 'signal.ip == "y" || 6 / int(signal.ext.n) == 2 || true'

    expect(await partsOf(text, { 'signal.ip': 'x', 'signal.ext.n': '0' })).toEqual([
      `${text} : failed`,
      '  signal.ip == "y" = false',
      '    signal.ip = "x"',
      '    "y" = "y"',
      '  6 / int(signal.ext.n) == 2 : failed',
      '    6 / int(signal.ext.n) : failed',
      '      6 = 6',
      '      int(signal.ext.n) = 0',
      '    2 = 2',
      '  true = true (not needed)',
    ])
  })

  test('shows a loop item by item, as far as it went', async () => {
    expect(
      await partsOf('["a", "b", "c"].exists(x, x == signal.ip)', { 'signal.ip': 'b' }),
    ).toEqual([
      '["a", "b", "c"].exists(x, x == signal.ip) = true',
      '  ["a", "b", "c"] = ["a","b","c"]',
      '    "a" = "a"',
      '    "b" = "b"',
      '    "c" = "c"',
      '  x == signal.ip = false',
      '    x = "a"',
      '    signal.ip = "b"',
      '  x == signal.ip = true',
      '    x = "b"',
      '    signal.ip = "b"',
    ])
  })

  test('shows patterns and networks', async () => {
    expect(
      await partsOf('signal.ip.matches("^2") && inCidr(signal.ip, ["10.0.0.0/8"])', {
        'signal.ip': '203.0.113.7',
      }),
    ).toEqual([
      'signal.ip.matches("^2") && inCidr(signal.ip, ["10.0.0.0/8"]) = false',
      '  signal.ip.matches("^2") = true',
      '    signal.ip = "203.0.113.7"',
      '    "^2" = "^2"',
      '  inCidr(signal.ip, ["10.0.0.0/8"]) = false',
      '    signal.ip = "203.0.113.7"',
      '    ["10.0.0.0/8"] = ["10.0.0.0/8"]',
      '      "10.0.0.0/8" = "10.0.0.0/8"',
    ])
  })

  test('gives its parts only on request', async () => {
    const rule = await explained(ruleOf('a', 'true'), {}, { parts: false })

    expect(rule).not.toHaveProperty('parts')
  })

  test('that is skipped says so and shows what it would have read', async () => {
    const rules = [ruleOf('a', 'true', { preempts: 'FLAG' }), ruleOf('b', 'signal.ip == "x"')]
    const [recipe] = runAtOnce(
      explain(compile(planOf(recipeOf(rules))), evidenceOf({ 'signal.ip': 'x' }), { parts: true }),
    )
    const second = recipe?.rules[1]

    expect(second?.outcome).toBe('SKIPPED')
    expect(second?.parts && lines(second.parts)[0]).toBe('signal.ip == "x" : not_evaluated')
  })

  test('without expression has none to show', async () => {
    const { expression: _, ...rule } = ruleOf('a', 'true')

    expect(await explained(rule, {})).toEqual({
      rule_id: 'a',
      type: 'CUSTOM',
      name: 'name of a',
      version_id: 'ver_a',
      weight: 10,
      outcome: 'NOT_EVALUATED',
      unavailable: true,
    })
  })
})

describe('a managed rule', () => {
  const rule = ruleOf('m', 'signal.ip == "203.0.113.7"', { type: 'MANAGED' })

  test('shows a customer its outcome and nothing else', async () => {
    expect(await explained(rule, {})).toEqual({
      rule_id: 'm',
      type: 'MANAGED',
      weight: 10,
      outcome: 'NOT_EVALUATED',
      blocked_by: 'missing_data',
    })
    const left = { name: 'signal.ip', value: '203.0.113.7', source: 'request' } as const
    const asked = { notCounted: [{ ...left, reason: 'needs_dispatch' } as const] }
    const arrived = await explained(rule, { 'signal.ip': '203.0.113.7' })
    expect(JSON.stringify([arrived, await explained(rule, {}, asked)])).not.toContain('signal.')
  })
})

describe('an explanation never contradicts its outcome', () => {
  test.each(semanticsVersions)('under version %d, for any rule', async (version) => {
    await fc.assert(
      fc.asyncProperty(anyRule, anyEvidence, async (text, values) => {
        const rule = await explained(ruleOf('a', text), values, { semantics: version })
        const { parts, reads = [] } = rule
        if (!parts) throw new Error('nothing explained')

        expect(toldBy(parts, reads)).toBe(toldOf(rule, reads))
        const open = parts.state === 'value' ? needed(parts) : []
        expect(open.filter(({ state }) => state !== 'value')).toEqual([])
      }),
      { numRuns: draws(1500) },
    )
  })

  /** What the explanation says of the rule. */
  function toldBy({ state, value }: Trace, reads: readonly ExplainedRead[]): string {
    const [first] = lacking(reads)
    if (first) return state === 'missing' ? `waits for ${first.name}` : `waits, and is ${state}`
    if (state === 'value') return value === true ? 'TRIGGERED' : 'NOT_TRIGGERED'
    return state === 'not_evaluated' ? 'unavailable' : state
  }

  /** What the result says of it. */
  function toldOf(
    { outcome, blocked_by, unavailable }: Awaited<ReturnType<typeof explained>>,
    reads: readonly ExplainedRead[],
  ): string {
    if (outcome !== 'NOT_EVALUATED') return outcome
    if (unavailable) return 'unavailable'
    if (lacking(reads).length > 0) return `waits for ${blocked_by}`
    return reads.some(({ name }) => name === blocked_by) ? 'failed' : `blocked by ${blocked_by}`
  }

  /** Every part that the outcome rests on. */
  function needed(part: Trace): readonly Trace[] {
    return part.needed === false ? [] : [part, ...(part.parts ?? []).flatMap(needed)]
  }

  /** The reads that count and give nothing. */
  function lacking(reads: readonly ExplainedRead[]): readonly ExplainedRead[] {
    return reads
      .filter(({ use, needed: counts }) => use === 'read' && counts !== false)
      .filter(({ convert, value }) =>
        convert ? parseTextByType[convert](String(value ?? '')) === undefined : value === undefined,
      )
  }

  test('not even where it is cut off before it comes to what decides', async () => {
    const list = `[${Array.from({ length: 100 }, (_, at) => at)}]`
    const long = `${list}.all(x, ${list}.all(y, x + y >= 0)) && `

    expect(
      (await explained(ruleOf('a', `${long}list.block`), { 'list.block': true })).parts,
    ).toMatchObject({
      state: 'value',
      value: true,
    })
    expect(
      (await explained(ruleOf('a', `${long}list.block`), { 'list.block': false })).parts,
    ).toMatchObject({ state: 'value', value: false })
  })

  test('nor over evidence of a type that its name does not have', async () => {
    const values = { 'signal.ext.n': 3 }

    const { outcome, blocked_by, parts } = await explained(
      ruleOf('a', 'int(signal.ext.n) > 2'),
      values,
    )

    expect([outcome, blocked_by]).toEqual(['NOT_EVALUATED', 'signal.ext.n'])
    expect(parts).toMatchObject({ state: 'missing' })
  })
})

describe('an explained rule with guards', () => {
  test('shows what was not reached as not needed, also while it waits', async () => {
    const text = '(has(signal.ip) ? signal.ip == "x" : true) && signal.ext.a == "1"'

    expect(await partsOf(text, { 'signal.ext.a': '1' })).toEqual([
      `${text} = true`,
      '  has(signal.ip) ? signal.ip == "x" : true = true',
      '    has(signal.ip) = false',
      '    signal.ip == "x" : missing (not needed)',
      '      signal.ip : missing',
      '      "x" = "x"',
      '    true = true',
      '  signal.ext.a == "1" = true',
      '    signal.ext.a = "1"',
      '    "1" = "1"',
    ])
    expect(await partsOf(text, {})).toEqual([
      `${text} : missing`,
      '  has(signal.ip) ? signal.ip == "x" : true = true',
      '    has(signal.ip) = false',
      '    signal.ip == "x" : missing (not needed)',
      '      signal.ip : missing',
      '      "x" = "x"',
      '    true = true',
      '  signal.ext.a == "1" : missing',
      '    signal.ext.a : missing',
      '    "1" = "1"',
    ])
  })
})

test('the values of 50,000 reads are shown, further reads are named only', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `k${at}`)
  const text = names.map((name) => `signal.ext.${name} == "x"`).join(' || ')
  const rules = Array.from({ length: 900 }, (_, at) => ruleOf(`r${at}`, text))
  const values = Object.fromEntries(names.map((name) => [`signal.ext.${name}`, 'a']))

  const recipes = runAtOnce(explain(compile(planOf(recipeOf(rules))), evidenceOf(values)))

  const reads = recipes.flatMap((recipe) => recipe.rules.flatMap((rule) => rule.reads ?? []))
  expect(reads).toHaveLength(60 * 900)
  const [first, ...rest] = [...new Set(reads.map((read) => JSON.stringify(Object.keys(read))))]
  expect(first).toBe('["name","use","arrived","value","source"]')
  expect(rest).toEqual(['["name","use","arrived"]'])
  expect(reads.filter(({ value }) => value === 'a')).toHaveLength(50_000)
})
