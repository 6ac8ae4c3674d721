/** The grammar of `where`, and its conditions against a plain reading of what they say. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Evidence } from '../../src/engine/run/evidence.ts'
import type { ScannedEvaluation } from '../../src/queries/analysis/scan/scanNames.ts'
import {
  type Condition,
  compileWhere,
  parseWhere,
  whereMax,
} from '../../src/queries/analysis/scan/where.ts'

const parse = (text: string) => parseWhere(text, (name, value) => `${name} of ${value}`)
const conditionsOf = (text: string): readonly Condition[] => {
  const parsed = parse(text)
  if ('problem' in parsed) throw new Error(`${text}: ${parsed.problem}`)
  return parsed.conditions
}
const problemOf = (text: string): string | undefined => {
  const parsed = parse(text)
  return 'problem' in parsed ? parsed.problem : undefined
}

const orders = ['<', '<=', '>', '>='] as const
const equalities = ['=', '!='] as const
const quoted = (text: string) => JSON.stringify(text)
const keys = fc.oneof(
  fc.stringMatching(/^\w{1,12}$/),
  fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty'),
)

/** A condition with a text that says it. */
const written: fc.Arbitrary<readonly [Condition, string]> = fc.oneof(
  fc
    .tuple(keys, fc.constantFrom(...equalities), fc.string({ unit: 'binary' }))
    .map(([key, operator, value]) => {
      const name = `signal.ext.${key}`
      return [{ name, operator, value }, `${name} ${operator} ${quoted(value)}`] as const
    }),
  fc
    .tuple(fc.string({ unit: 'binary' }), fc.constantFrom(...orders), fc.integer())
    .map(([key, operator, value]) => {
      const said = `ext[${quoted(key)}]${operator}${value}`
      return [{ name: `signal.ext.${key}`, operator, value }, said] as const
    }),
  fc
    .tuple(fc.constantFrom('phone', 'device'), fc.constantFrom(...equalities))
    .map(([name, operator]) => {
      const value = `${name} of +1 2`
      return [{ name, operator, value }, `${name} ${operator} "+1 2"`] as const
    }),
  fc
    .tuple(fc.constantFrom('partial', 'imported'), fc.boolean())
    .map(([name, value]) => [{ name, operator: '=', value }, `${name}=${value}`] as const),
)

describe('a where', () => {
  test('is read back as it was written', () => {
    const joints = fc.constantFrom(' and ', '  AND\t', '\nand\n')

    fc.assert(
      fc.property(fc.array(written, { maxLength: 8 }), joints, (all, joint) => {
        const text = all.map(([, said]) => said).join(joint)
        fc.pre(text.length <= whereMax.chars)

        expect(conditionsOf(text)).toEqual(all.map(([condition]) => condition))
      }),
    )
  })

  test('of any text is conditions, or what is wrong with it as a sentence', () => {
    const pieces = fc.constantFrom('flow', 'and', '=', '"', '\\', '[', ']', ' ', 'ext', '.', '!')
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((all) => all.join('')),
    )

    fc.assert(
      fc.property(text, (said) => {
        const problem = problemOf(said)

        expect(problem ?? 'No problem.').toMatch(/^[\p{L}"].*[.!?]$/su)
      }),
    )
  })

  test.each([
    ['verdct = FLAG', 'did you mean verdict?'],
    ['signal.device = x', 'did you mean signal.device_id?'],
    ['__proto__ = x', 'There is no name "__proto__"'],
    ['constructor = x', 'There is no name "constructor"'],
    ['hasOwnProperty != 1', 'There is no name "hasOwnProperty"'],
    ['verdict = flag', 'verdict is one of PASS, FLAG, not "flag".'],
    ['partial = yes', 'partial is one of true, false, not "yes".'],
    ['signal.existing_user = 1', 'signal.existing_user is one of true, false, not "1".'],
    ['verdict < FLAG', 'verdict takes = and != alone.'],
    ['phone >= 3', 'phone takes = and != alone.'],
    ['score = 0x10', 'score takes a number after =, not "0x10".'],
    ['score > " "', 'score takes a number after >, not " ".'],
    ['ext.cart_total > much', 'ext.cart_total takes a number after >, not "much".'],
    ['signal.ip = 203.0.113.7/24', 'the network is 203.0.113.0/24.'],
    ['signal.ip = 203.0.113.0/99', 'its prefix must be 1 to 32.'],
    ['flow == flw_1', 'such as verdict = FLAG'],
    ["ext.shop = 'FR'", 'in double quotes'],
    ['ext.shop = "FR', 'in double quotes'],
    ['ext.shop = "\\x"', 'is no JSON text.'],
    ['flow', 'Expected NAME OPERATOR VALUE'],
    ['flow = a or flow = b', 'Expected "and" at "or flow = b".'],
    ['flow = a and', 'Expected NAME OPERATOR VALUE'],
    ['flow = a and and flow = b', 'Expected NAME OPERATOR VALUE'],
    [`flow = ${'a'.repeat(whereMax.chars)}`, 'Must have at most 8192 characters.'],
    [Array(33).fill('flow = a').join(' and '), 'Must have at most 32 conditions.'],
  ])('%s is refused', (text, why) => {
    expect(problemOf(text)).toContain(why)
  })

  test('is refused for a digest that cannot be', () => {
    const parsed = parseWhere('ip = 203.0.113.0/24', () => undefined)

    expect(parsed).toEqual({
      problem:
        'ip takes one public address (networks are asked for as signal.ip), not "203.0.113.0/24".',
    })
  })

  // what backtracks takes minutes for these, not milliseconds
  test.each([
    ['names', 'a'.repeat(8_192)],
    ['dots', 'a.'.repeat(4_096)],
    ['spaces behind a name', `a${' '.repeat(8_191)}`],
    ['spaces behind a value', `flow = a${' '.repeat(8_182)}b`],
    ['spaces behind conditions', `flow = a${' '.repeat(250)}and `.repeat(31)],
    ['an open key', `ext["${'\\a'.repeat(4_000)}`],
    ['an open text', `flow = "${'\\"'.repeat(4_090)}`],
    ['quotes', `flow = ${'"'.repeat(8_000)}`],
    ['quoted quotes', `flow = ${quoted('"'.repeat(4_000))}`],
    ['brackets', 'a["'.repeat(2_700)],
    ['many conditions', 'flow=a and '.repeat(740)],
    ['an unknown name', `${'é'.repeat(8_000)} = 1`],
  ])('of 8,192 characters is read in one pass: %s', (_, text) => {
    const begunMs = performance.now()

    for (let times = 0; times < 20; times += 1) parse(text)

    expect(text.length).toBeLessThanOrEqual(whereMax.chars)
    expect(performance.now() - begunMs).toBeLessThan(20_000)
  })
})

const countries = ['FR', 'DE', '12', '9.5', ' ', '1e1', 'true'] as const
const addresses = ['203.0.113.7', '203.0.114.7', '2001:db8::1', '2001:db9::1'] as const
const letters = 'TNMUS'
const words: Readonly<Record<string, string>> = {
  ...{ T: 'TRIGGERED', N: 'NOT_TRIGGERED', M: 'NOT_EVALUATED' },
  ...{ U: 'UNAVAILABLE', S: 'SKIPPED' },
}

interface Given {
  readonly verdict: 'PASS' | 'FLAG'
  readonly shop: string | undefined
  readonly ip: string | undefined
  readonly labels: readonly string[]
  readonly missing: readonly string[]
  readonly recipes: readonly {
    readonly id: string
    readonly status: 'LIVE' | 'SHADOW'
    readonly score: number
    readonly outcomes: string
  }[]
}

const given: fc.Arbitrary<Given> = fc.record({
  verdict: fc.constantFrom('PASS', 'FLAG'),
  shop: fc.option(fc.constantFrom(...countries), { nil: undefined }),
  ip: fc.option(fc.constantFrom(...addresses), { nil: undefined }),
  labels: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  missing: fc.uniqueArray(fc.constantFrom('signal.ip', 'signal.ext.x'), { maxLength: 2 }),
  recipes: fc.array(
    fc.record({
      id: fc.constantFrom('rcp_a', 'rcp_b'),
      status: fc.constantFrom('LIVE', 'SHADOW'),
      score: fc.constantFrom(0, 40, 50, 100),
      outcomes: fc.stringMatching(/^[TNMUS]{0,3}$/),
    }),
    { maxLength: 3 },
  ),
})

/** Each rule is called by its place, in every recipe. */
const ruleAt = (at: number) => `rul_${at}`

function toScanned({ verdict, shop, ip, labels, missing, recipes }: Given): ScannedEvaluation {
  const evidence: Evidence = new Map([
    ...(shop === undefined
      ? []
      : ([['signal.ext.shop', { value: shop, source: 'request' }]] as const)),
    ...(ip === undefined ? [] : ([['signal.ip', { value: ip, source: 'dispatch' }]] as const)),
  ])
  const rulesOf = (outcomes: string) =>
    [...outcomes].map((_, at) => ({ rule_id: ruleAt(at), version_id: `v_${at}` }))
  // no more of it than the names read
  return {
    id: 'evl_1',
    body: {
      verdict,
      recipes: recipes.map(({ id, score, outcomes }) => ({ recipe_id: id, score, outcomes })),
    },
    planDocument: { recipes: recipes.map(({ status }) => ({ status, threshold: 50 })) },
    reports: { followed_by: labels.map((name) => ({ kind: 'event', name })) },
    record: { missing: missing.map((name) => [name, 'not_sent']) },
    plan: { plan: { recipes: recipes.map(({ outcomes }) => ({ rules: rulesOf(outcomes) })) } },
    evidence,
    isForgotten: false,
  } as unknown as ScannedEvaluation
}

/** What one condition says of values that are there: of several, any; `!=` is that none is. */
function says(operator: string, holds: (value: string) => boolean, values: readonly string[]) {
  return operator === '!=' ? !values.some(holds) : values.some(holds)
}

const inNetwork: Readonly<Record<string, (ip: string) => boolean>> = {
  '203.0.113.0/24': (ip) => ip === '203.0.113.7',
  '2001:db8::/32': (ip) => ip === '2001:db8::1',
  '2001:DB8:0::1': (ip) => ip === '2001:db8::1',
  '203.0.112.0/22': (ip) => ip.startsWith('203.'),
}

interface Question {
  readonly text: string
  /** Of the evaluation. */
  readonly holds?: (one: Given) => boolean
  /** Of one recipe, and of one rule of that recipe. */
  readonly recipe?: (one: Given['recipes'][number]) => boolean
  readonly rule?: (one: { readonly at: number; readonly letter: string }) => boolean
  readonly asksStatus?: true
}

const equality = fc.constantFrom(...equalities)
const order = fc.constantFrom(...orders)
const compare = (one: number, operator: string, other: number) =>
  ({ '<': one < other, '<=': one <= other, '>': one > other, '>=': one >= other })[operator] ===
  true

const question: fc.Arbitrary<Question> = fc.oneof(
  fc.tuple(equality, fc.constantFrom('PASS', 'FLAG')).map(([operator, value]) => ({
    text: `verdict ${operator} ${value}`,
    holds: ({ verdict }: Given) => says(operator, (one) => one === value, [verdict]),
  })),
  fc.tuple(equality, fc.constantFrom(...countries)).map(([operator, value]) => ({
    text: `ext.shop ${operator} ${quoted(value)}`,
    holds: ({ shop }: Given) =>
      shop !== undefined && says(operator, (one) => one === value, [shop]),
  })),
  fc.tuple(order, fc.constantFrom(9.5, 10, 12)).map(([operator, value]) => ({
    text: `ext.shop ${operator} ${value}`,
    holds: ({ shop = '' }: Given) => /^[0-9]/.test(shop) && compare(Number(shop), operator, value),
  })),
  fc.tuple(equality, fc.constantFrom(...Object.keys(inNetwork))).map(([operator, network]) => ({
    text: `signal.ip ${operator} ${network}`,
    holds: ({ ip }: Given) =>
      ip !== undefined && says(operator, inNetwork[network] as (ip: string) => boolean, [ip]),
  })),
  fc.tuple(equality, fc.constantFrom('a', 'b')).map(([operator, value]) => ({
    text: `label ${operator} ${value}`,
    holds: ({ labels }: Given) => says(operator, (one) => one === value, labels),
  })),
  fc.tuple(equality, fc.constantFrom('signal.ip', 'signal.ext.x')).map(([operator, value]) => ({
    text: `missing ${operator} ${value}`,
    holds: ({ missing }: Given) => says(operator, (one) => one === value, missing),
  })),
  fc.tuple(equality, fc.constantFrom('rcp_a', 'rcp_b')).map(([operator, value]) => ({
    text: `recipe ${operator} ${value}`,
    recipe: ({ id }: Given['recipes'][number]) => says(operator, (one) => one === value, [id]),
  })),
  fc.tuple(equality, fc.constantFrom('LIVE', 'SHADOW')).map(([operator, value]) => ({
    text: `status ${operator} ${value}`,
    recipe: ({ status }: Given['recipes'][number]) =>
      says(operator, (one) => one === value, [status]),
    asksStatus: true as const,
  })),
  fc.tuple(order, fc.constantFrom(40, 50)).map(([operator, value]) => ({
    text: `score ${operator} ${value}`,
    recipe: ({ score }: Given['recipes'][number]) => compare(score, operator, value),
  })),
  fc.tuple(order, fc.constantFrom(0, 10)).map(([operator, value]) => ({
    text: `distance ${operator} ${value}`,
    recipe: ({ score }: Given['recipes'][number]) => compare(Math.abs(score - 50), operator, value),
  })),
  fc.tuple(equality, fc.integer({ min: 0, max: 2 })).map(([operator, at]) => ({
    text: `rule ${operator} ${ruleAt(at)}`,
    rule: (one: { readonly at: number }) => (operator === '=') === (one.at === at),
  })),
  fc.tuple(equality, fc.constantFrom(...letters)).map(([operator, letter]) => ({
    text: `outcome ${operator} ${words[letter]}`,
    rule: (one: { readonly letter: string }) => (operator === '=') === (one.letter === letter),
  })),
)

/** The places of the recipes that fulfil all that is asked of recipes and, each of one rule, of rules. */
function fulfilling(one: Given, asked: readonly Question[]): readonly number[] {
  const ofRules = asked.flatMap(({ rule }) => rule ?? [])
  const asksStatus = asked.some((each) => each.asksStatus)
  return one.recipes.flatMap((recipe, index) => {
    const isAsked = asksStatus || recipe.status === 'LIVE'
    const fulfils = asked.every((each) => each.recipe?.(recipe) ?? true)
    const hasRule =
      ofRules.length === 0 ||
      [...recipe.outcomes].some((letter, at) => ofRules.every((rule) => rule({ at, letter })))
    return isAsked && fulfils && hasRule ? [index] : []
  })
}

test('an evaluation matches when all conditions hold: those of recipes for one recipe, of rules for one rule', () => {
  fc.assert(
    fc.property(given, fc.array(question, { maxLength: 5 }), (one, asked) => {
      const { mayMatch, matches, recipes } = compileWhere(
        conditionsOf(asked.map(({ text }) => text).join(' and ')),
      )
      const scanned = toScanned(one)
      const found = fulfilling(one, asked)
      const asksRecipe = asked.some(({ recipe, rule }) => recipe || rule)

      expect(recipes(scanned).map(({ index }) => index)).toEqual(found)
      expect(mayMatch(scanned) && matches(scanned)).toBe(
        asked.every(({ holds }) => holds?.(one) ?? true) && (!asksRecipe || found.length > 0),
      )
    }),
  )
})

test('a text that is a network is also equal to itself', () => {
  const { matches } = compileWhere(conditionsOf('ext.shop = 10.0.0.0/8'))
  const of = (shop: string) =>
    matches(
      toScanned({ verdict: 'PASS', shop, ip: undefined, labels: [], missing: [], recipes: [] }),
    )

  expect(of('10.0.0.0/8')).toBe(true)
  expect(of('10.1.2.3')).toBe(true)
  expect(of('11.0.0.0')).toBe(false)
})

test('what a question needs is what the dearest of its conditions needs', () => {
  const needsOf = (text: string) => compileWhere(conditionsOf(text)).needs
  const none = {
    reports: false,
    plan: false,
    record: false,
    evidence: false,
    recorded: false,
    runnable: false,
  }

  expect(needsOf('verdict = FLAG and score > 3')).toEqual(none)
  expect(needsOf('outcome = TRIGGERED')).toEqual(none)
  expect(needsOf('label = a and rule = rul_a')).toEqual({ ...none, reports: true, plan: true })
  expect(needsOf('missing = signal.ip')).toEqual({ ...none, record: true })
  expect(needsOf('email_domain = example.com')).toEqual({ ...none, record: true, evidence: true })
})
