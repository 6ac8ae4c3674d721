import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import { explain } from '../../src/engine/explain/explain.ts'
import {
  counterSources,
  counterWindowsMs,
  listCounters,
  readCounter,
} from '../../src/engine/language/counters.ts'
import { unparse } from '../../src/engine/language/unparse.ts'
import type { CounterReason, Evidence } from '../../src/engine/run/evidence.ts'
import { draws } from '../support/draws.ts'
import {
  answered,
  evidenceOf,
  expressionOf,
  onlyRule,
  outcomeOf,
  problemsOf,
  withoutPlaces,
} from './support/evaluate.ts'

/** Names that events of every source have. */
const deviceNames = ['signal.ip', 'signal.device_id', 'signal.user_agent']
const extKeys = fc.string({
  unit: fc.constantFrom('a', 'Z', '_', '0', ' ', '"', '\\', 'é', '😀', '(', ',', 'in'),
  minLength: 1,
  maxLength: 4,
})
const extName = extKeys.map((key) => `signal.ext[${JSON.stringify(key)}]`)
const source = fc.constantFrom(...counterSources)
const isOfEvaluations = (text: string) => text === 'evaluations' || text === 'flagged'
const nameOf = (from: string) =>
  isOfEvaluations(from)
    ? fc.oneof(fc.constantFrom(...deviceNames, 'target.phone_number', 'flow.id'), extName)
    : fc.constantFrom(...deviceNames)
const partOf = (from: string) =>
  fc.oneof(
    nameOf(from),
    nameOf(from).map((name) => `network(${name})`),
    nameOf(from).map((name) => `emailDomain(${name})`),
    nameOf(from).map((name) => `phoneCountry(${name})`),
    fc
      .tuple(nameOf(from), fc.integer({ min: 1, max: 32 }))
      .map(([name, chars]) => `prefix(${name}, ${chars})`),
  )
const space = fc.constantFrom('', ' ', '\n')

/** A counter in some spelling, its kind and window. */
const anyCounter = source.chain((from) =>
  fc
    .record({
      kind: fc.constantFrom('count', 'distinct', 'sum'),
      by: fc.uniqueArray(partOf(from), {
        minLength: 1,
        maxLength: 3,
        selector: (part) => unparse(expressionOf(`${part} == ""`)),
      }),
      measured: nameOf(from),
      window: fc.constantFrom(...Object.keys(counterWindowsMs)),
      space,
    })
    .map(({ kind, by, measured, window, space: gap }) => {
      const what = { count: '', distinct: `${measured},${gap}`, sum: `int(${measured}),${gap}` }
      const parts = by.join(`,${gap}`)
      const text = `${kind}(${from},${gap}${what[kind as 'sum']}by(${parts}),${gap}"${window}")`
      return { kind, text, window }
    }),
)

describe('a counter in any spelling', () => {
  test('is the same counter in its canonical text, and as it is stored', () => {
    fc.assert(
      fc.property(anyCounter, fc.integer({ min: 0, max: 255 }), ({ text, window }, limit) => {
        const expression = expressionOf(`${text} > ${limit}`)
        const canonical = unparse(expression)
        const [counter, ...more] = listCounters(expression)

        expect(more).toEqual([])
        expect(canonical).toBe(`${counter?.name} > ${limit}`)
        expect(withoutPlaces(expressionOf(canonical))).toEqual(withoutPlaces(expression))
        expect(listCounters(JSON.parse(JSON.stringify(expression)))).toEqual([counter])
        expect(counter?.window).toBe(window)
        expect(counter?.name).toBe(`${counter?.series.text.slice(0, -1)}, "${window}")`)
      }),
      { numRuns: draws(500) },
    )
  })

  test('shares its series with those that differ by the window alone', () => {
    fc.assert(
      fc.property(anyCounter, anyCounter, (one, other) => {
        const [a, b] = [one, other].map(({ text }) => listCounters(expressionOf(`${text} > 1`))[0])
        const windows = Object.keys(counterWindowsMs).map(
          (window) =>
            listCounters(expressionOf(`${one.text.replace(one.window, window)} > 1`))[0]?.series.id,
        )

        expect(new Set([a?.series.id, ...windows]).size).toBe(1)
        expect(a?.series.id === b?.series.id).toBe(a?.series.text === b?.series.text)
        expect(a?.series.id).toMatch(/^[\w-]{12}$/)
      }),
      { numRuns: draws(200) },
    )
  })

  test('is counted as the evidence says, whatever its key is', () => {
    const values = {
      'signal.ip': '203.0.113.7',
      'signal.device_id': 'd-1',
      'signal.user_agent': 'curl',
    }
    fc.assert(
      fc.property(anyCounter, fc.integer({ min: 0, max: 300 }), ({ text }, value) => {
        const expression = expressionOf(`${text} > 5`)
        const [counter] = listCounters(expression)
        const hasKey = counter?.series.by.every(
          ({ name, function: of }) => name in values && (of === undefined || of === 'prefix'),
        )
        fc.pre(hasKey === true)

        const name = counter?.name ?? ''
        expect(outcomeOf(expression, { ...values, [name]: value })).toBe(String(value > 5))
        expect(outcomeOf(expression, values)).toBe('unavailable')
      }),
      { numRuns: draws(300) },
    )
  })
})

describe('the check', () => {
  const by = 'by(signal.device_id)'

  test.each([
    ['count(evaluations, "10m") > 1', '1:1: count is written count(evaluations, by('],
    [`distinct(evaluations, ${by}, "10m") > 1`, '1:1: distinct is written distinct('],
    [`signal.ip.count(${by}, "10m") > 1`, '1:1: count is written'],
    [`count(logins, ${by}, "10m") > 1`, "1:7: 'logins' cannot be counted; these can: evaluations,"],
    [`count(flaged, ${by}, "10m") > 1`, "'flaged' cannot be counted; did you mean 'flagged'?"],
    [`count(verification.complete, ${by}, "10m") > 1`, "did you mean 'verification.completed'?"],
    [`count(evaluations, signal.device_id, "10m") > 1`, '1:20: the key is written by(…)'],
    ['count(evaluations, by(), "10m") > 1', '1:20: by(…) takes 1 to 3 parts'],
    [
      'count(evaluations, by(signal.ip, signal.ext.a, signal.ext.b, signal.ext.c), "10m") > 1',
      '1:20: by(…) takes 1 to 3 parts',
    ],
    ['count(evaluations, by(signal.ip, signal.ip), "10m") > 1', '1:20: by(…) has a part twice'],
    ['count(evaluations, by(signal.ipp), "10m") > 1', "did you mean 'signal.ip'?"],
    ['count(evaluations, by("x"), "10m") > 1', '1:23: a part of by(…) is a name, or network(…)'],
    ['count(evaluations, by(signal.ip + "x"), "10m") > 1', '1:23: a part of by(…) is a name'],
    [
      'count(evaluations, by(prefix(signal.ip.lowerAscii(), 3)), "10m") > 1',
      '1:23: a part of by(…) is a name',
    ],
    ['count(evaluations, by(prefix(signal.ip, 33)), "1h") > 1', 'from 1 to 32'],
    ['count(evaluations, by(int(signal.ext.n)), "1h") > 1', '1:23: a part of by(…) is a name'],
    [`count(evaluations, ${by}, "60m") > 1`, "'60m' is no window; did you mean '1h'?"],
    [`count(evaluations, ${by}, "168h") > 1`, "did you mean '7d'?"],
    [`count(evaluations, ${by}, "1w") > 1`, "did you mean '7d'?"],
    [`count(evaluations, ${by}, "5m") > 1`, `'5m' is no window; these are: "10m", "1h", "24h"`],
    [`count(evaluations, ${by}, duration("1h")) > 1`, 'the window is written as a text'],
    [`count(evaluations, ${by}, signal.ip) > 1`, 'the window is written as a text'],
    [`count(evaluations, ${by}, 24h) > 1`, `a window is written as a text: "24h"`],
    [`distinct(evaluations, "x", ${by}, "1h") > 1`, '1:23: distinct takes a name there'],
    [`distinct(evaluations, list.block, ${by}, "1h") > 1`, "'list.block' cannot be counted by"],
    [`distinct(evaluations, param.a, ${by}, "1h") > 1`, "undeclared reference to 'param.a'"],
    [`sum(evaluations, signal.ext.n, ${by}, "1h") > 1`, '1:18: sum adds up int(…) of a name'],
    [`sum(evaluations, int(1), ${by}, "1h") > 1`, '1:18: sum takes a name there'],
    ['count(dispatches, by(signal.ext.a), "1h") > 1', "dispatches have no 'signal.ext.a'"],
    ['count(verification.started, by(flow.id), "1h") > 1', "have no 'flow.id'"],
    [`distinct(dispatches, target.phone_number, ${by}, "1h") > 1`, "have no 'target.phone_number'"],
    [`count(evaluations, ${by}, "1h") == "1"`, 'found no matching overload'],
    ['counter(evaluations) > 1', "undeclared reference to 'counter'; did you mean 'count(…)'?"],
    ['by(signal.ip) == 1', "undeclared reference to 'by'"],
    ['evaluations == 1', "undeclared reference to 'evaluations'"],
  ])('refuses %s', (rule, problem) => {
    expect(problemsOf(rule).join()).toContain(problem)
  })

  test('takes the signals of the device, and of feedback the target', () => {
    const rules = [
      'count(dispatches, by(network(signal.ip)), "1h") > 1',
      'count(verification.completed, by(target.phone_number, signal.device_id), "30d") > 1',
    ]

    expect(rules.flatMap((rule) => problemsOf(rule))).toEqual([])
  })

  test('lets a rule have ten counters, the same one as often as it likes', () => {
    const counters = (count: number) =>
      Array.from({ length: count }, (_, at) => `count(flagged, by(signal.ext.k${at}), "1h")`)
    const rule = (count: number) => `${[...counters(count), ...counters(1)].join(' + ')} > 3`

    expect(problemsOf(rule(10))).toEqual([])
    expect(problemsOf(rule(11)).join()).toContain('a rule has 10 counters at most')
  })

  const distinct = `distinct(evaluations, signal.ip, ${by}, "1h")`

  test.each([
    `${distinct} > 255`,
    `255 <= ${distinct}`,
    `${distinct} == 3 || !(${distinct} >= 10.5)`,
  ])('takes %s', (rule) => {
    expect(problemsOf(rule)).toEqual([])
  })

  test.each([
    `${distinct} > 256`,
    `${distinct} + 1 > 2`,
    `${distinct} > ${distinct}`,
    `${distinct} in [1, 2]`,
    `${distinct} > int(signal.ext.n)`,
    `(signal.existing_user ? ${distinct} : 1) > 0`,
    `string(${distinct}) == "1"`,
  ])('refuses what 256 stands for more than: %s', (rule) => {
    expect(problemsOf(rule).join()).toContain(
      'compare it with a number written in the rule, at most 255',
    )
  })
})

describe('a rule with a counter', () => {
  const counter =
    'count(evaluations, by(signal.device_id, emailDomain(target.email_address)), "1h")'
  const rule = `${counter} > 3`

  test('waits for the parts of its key, and for nothing else', () => {
    const key = { 'signal.device_id': 'd', 'target.email_address': 'a@b.example' }

    expect(outcomeOf(rule, {})).toBe('missing signal.device_id')
    expect(outcomeOf(rule, { 'signal.device_id': 'd' })).toBe('missing target.email_address')
    expect(outcomeOf(rule, { ...key, 'target.email_address': 'none' })).toBe(
      'missing target.email_address',
    )
    expect(outcomeOf(rule, { ...key, [counter]: 0 })).toBe('false')
    expect(outcomeOf(rule, key)).toBe('unavailable')
  })

  test('does not need the name that it measures', () => {
    const measuring = 'sum(evaluations, int(signal.ext.n), by(signal.device_id), "1h")'

    expect(outcomeOf(`${measuring} > 3`, { 'signal.device_id': 'd', [measuring]: 4 })).toBe('true')
  })

  test('asks each counter once, with its key', () => {
    const plan = onlyRule(`${rule} && ${counter} < 9 && ${counter.replace('1h', '24h')} < 9`)
    const key = { 'signal.device_id': 'd', 'target.email_address': 'a@B.example' }

    const asks = plan.computeAsks(answered(plan, key))

    expect(asks.map(({ name, value }) => [name, value])).toEqual([
      [counter, '["d","b.example"]'],
      [counter.replace('1h', '24h'), '["d","b.example"]'],
    ])
    expect(plan.computeAsks(evidenceOf({ 'signal.device_id': 'd' }))).toEqual([])
  })

  test('of another version makes the rule unavailable', () => {
    const expression = JSON.parse(JSON.stringify(expressionOf(rule)).replace(' 1h"', ' 2h"'))

    expect(readCounter(expression.args[0])).toBeUndefined()
    expect(
      outcomeOf(expression, { 'signal.device_id': 'd', 'target.email_address': 'a@b.c' }),
    ).toBe('unavailable')
  })

  const explained = (evidence: Evidence, unanswered = new Map<string, CounterReason>()) => {
    const [recipe] = runAtOnce(explain(onlyRule(rule), evidence, { parts: true, unanswered }))
    return recipe?.rules[0]
  }
  const key = { 'signal.device_id': 'd', 'target.email_address': 'a@B.example' }
  const names = ['signal.device_id', 'emailDomain(target.email_address)']

  test('is explained with value, window and key', () => {
    const { outcome, counters, parts } = explained(evidenceOf({ ...key, [counter]: 4 })) ?? {}

    expect(outcome).toBe('TRIGGERED')
    expect(counters).toEqual([
      {
        name: counter,
        window: '1h',
        key: [
          { name: names[0], value: 'd' },
          { name: names[1], value: 'b.example' },
        ],
        value: 4,
      },
    ])
    expect(parts?.parts?.[0]).toMatchObject({ text: counter, state: 'value', value: 4 })
  })

  test('is explained with the reason why it has no value', () => {
    const { unavailable, counters } =
      explained(evidenceOf(key), new Map([[counter, 'warming']])) ?? {}

    expect(unavailable).toBe(true)
    expect(counters).toMatchObject([{ name: counter, reason: 'warming' }])
    expect(counters?.[0]).not.toHaveProperty('value')
  })

  test('shows the beginning of a long key', () => {
    const long = { ...key, 'signal.device_id': 'd'.repeat(8_000), [counter]: 1 }

    expect(explained(evidenceOf(long))?.counters?.[0]?.key[0]?.value).toBe(`${'d'.repeat(200)}…`)
  })

  test('shows which part of the key did not arrive', () => {
    const { counters } = explained(evidenceOf({ 'signal.device_id': 'd' })) ?? {}

    expect(counters?.[0]?.key).toEqual([{ name: names[0], value: 'd' }, { name: names[1] }])
  })
})

describe('network', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['255.255.255.255', '255.255.255.255/32'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
  ])('of %s is %s', (ip, network) => {
    expect(outcomeOf(`network(signal.ext.a) == "${network}"`, { 'signal.ext.a': ip })).toBe('true')
  })

  test.each(['', 'x', '203.0.113', '203.0.113.7/32', 'fe80::1%eth0'])('of %s is none', (text) => {
    expect(outcomeOf('network(signal.ext.a) == ""', { 'signal.ext.a': text })).toBe(
      'missing signal.ext.a',
    )
  })
})

test('a prefix counts characters, and is all of a shorter text', () => {
  const prefixOf = (text: string, chars: number, prefix: string) =>
    outcomeOf(`prefix(signal.ext.a, ${chars}) == "${prefix}"`, { 'signal.ext.a': text })

  expect(prefixOf('+33612345678', 6, '+33612')).toBe('true')
  expect(prefixOf('a😀b', 2, 'a😀')).toBe('true')
  expect(prefixOf('ab', 32, 'ab')).toBe('true')
})
