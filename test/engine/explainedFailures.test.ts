import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import { explain } from '../../src/engine/explain/explain.ts'
import type { PlannedRule } from '../../src/engine/run/plan.ts'
import { draws } from '../support/draws.ts'
import {
  anyEvidence,
  anyRule,
  arbitraryGuardedRule,
  partialEvidence,
} from './support/arbitraryGuardedRule.ts'
import {
  answered,
  compile,
  expressionOf,
  outcomeOf,
  planOf,
  problemsOf,
  recipeOf,
  ruleOf,
  type Values,
} from './support/evaluate.ts'

async function explained(rule: PlannedRule, values: Values, parts = false) {
  const plan = compile(planOf(recipeOf([rule])))
  const [recipe] = runAtOnce(explain(plan, answered(plan, values), { parts }))
  const [first] = recipe?.rules ?? []
  if (!first) throw new Error('nothing explained')
  return first
}

const problemOf = async (text: string, values: Values) =>
  (await explained(ruleOf('a', text), values)).problem

const cart = { 'signal.ext.cart': '12a' }
const zero = { 'signal.ext.n': '0', 'signal.ext.m': '7' }
const huge = { 'signal.ext.n': '9007199254740991' }
const free = { 'target.phone_number': '+80012345678' }

describe('a rule that fails on what arrived says what was read, what went wrong and what to write', () => {
  test.each<[string, Values, string, string]>([
    [
      'int(signal.ext.cart) > 3',
      cart,
      'signal.ext.cart is "12a", which int() cannot read: compare it as text, or convert only what fits: signal.ext.cart.matches("^-?[0-9]{1,15}$") && int(signal.ext.cart + "") …',
      'signal.ext.cart.matches("^-?[0-9]{1,15}$") && int(signal.ext.cart + "") > 3',
    ],
    [
      'double(signal.ext.cart) > 3.0',
      cart,
      'signal.ext.cart is "12a", which double() cannot read',
      'signal.ext.cart.matches("^-?[0-9]{1,15}([.][0-9]{1,15})?$") && double(signal.ext.cart + "") > 3.0',
    ],
    [
      'bool(signal.ext.cart)',
      cart,
      'signal.ext.cart is "12a", which bool() cannot read',
      'signal.ext.cart.matches("^(true|false)$") && bool(signal.ext.cart + "")',
    ],
    [
      'timestamp(signal.ext.cart) < request.time',
      { ...cart, 'request.time': 0 },
      'signal.ext.cart is "12a", which timestamp() cannot read',
      'signal.ext.cart.matches("^20[0-9]{2}-(0[1-9]|1[0-2])-([01][1-9]|10|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$") && timestamp(signal.ext.cart + "") < request.time',
    ],
    [
      'duration(signal.ext.cart) > duration("1h")',
      cart,
      'signal.ext.cart is "12a", which duration() cannot read',
      'signal.ext.cart.matches("^[0-9]{1,9}(ms|s|m|h)$") && duration(signal.ext.cart + "") > duration("1h")',
    ],
    [
      'int(signal.ext.cart + "0") > 3',
      cart,
      '(signal.ext.cart + "0") is "12a0", which int() cannot read: compare it as text, or convert only what fits: (signal.ext.cart + "0").matches("^-?[0-9]{1,15}$") &&',
      '(signal.ext.cart + "0").matches("^-?[0-9]{1,15}$") && int(signal.ext.cart + "0") > 3',
    ],
    [
      '6 / int(signal.ext.n) == 2',
      zero,
      'int(signal.ext.n) is 0; nothing is divided by zero: guard it with int(signal.ext.n) != 0 && …',
      'int(signal.ext.n) != 0 && 6 / int(signal.ext.n) == 2',
    ],
    [
      'int(signal.ext.m) % (int(signal.ext.n) * 2) == 2',
      zero,
      'int(signal.ext.m) is 7, and (int(signal.ext.n) * 2) is 0; nothing is divided by zero: guard it with (int(signal.ext.n) * 2) != 0 && …',
      '(int(signal.ext.n) * 2) != 0 && int(signal.ext.m) % (int(signal.ext.n) * 2) == 2',
    ],
    [
      'int(signal.ext.n) * 2 > 5',
      huge,
      'int(signal.ext.n) is 9007199254740991; the result is beyond 9007199254740991, the largest int: compute with double(…) instead',
      'double(signal.ext.n) * 2.0 > 5.0',
    ],
    [
      'int(double(signal.ext.n) / 0.0) > 5',
      huge,
      '(double(signal.ext.n) / 0.0) is "Infinity"; the result is beyond 9007199254740991, the largest int: compute with double(…) instead',
      'double(signal.ext.n) / 0.0 > 5.0',
    ],
    [
      'timestamp(int(signal.ext.n)) > request.time',
      { ...huge, 'request.time': 0 },
      'int(signal.ext.n) is 9007199254740991; the result is beyond what a timestamp can be: compare with a limit first',
      'int(signal.ext.n) > 253402300799 || timestamp(int(signal.ext.n)) > request.time',
    ],
    [
      'inCidr(signal.ext.cart, "10.0.0.0/8")',
      cart,
      'signal.ext.cart is "12a", which is no IP address: send one, or ask only what looks like one: signal.ext.cart.matches("^[0-9]+[.][0-9.]+$") && …',
      'signal.ext.cart.matches("^[0-9]+[.][0-9.]+$") && inCidr(signal.ext.cart, "10.0.0.0/8")',
    ],
    [
      'emailDomain(signal.ext.cart) == "x.example"',
      cart,
      'signal.ext.cart is "12a", which is no e-mail address with a domain in ASCII: ask only what looks like one: signal.ext.cart.matches("^[!-~]+@([A-Za-z0-9]+[.])+[A-Za-z0-9]+$") && …',
      'signal.ext.cart.matches("^[!-~]+@([A-Za-z0-9]+[.])+[A-Za-z0-9]+$") && emailDomain(signal.ext.cart) == "x.example"',
    ],
    [
      'phoneCountry(target.phone_number) == "FR"',
      free,
      'target.phone_number is "+80012345678", whose country cannot be told, as it belongs to no single one: decide such numbers before: target.phone_number.startsWith("+800") ? … : …',
      'target.phone_number.startsWith("+800") ? true : phoneCountry(target.phone_number) == "FR"',
    ],
    [
      'phoneCountry(signal.ext.cart) == "FR"',
      cart,
      'signal.ext.cart is "12a", which is no phone number such as +33612345678: ask only what looks like one: signal.ext.cart.matches("^[+][1-9][0-9]{9,14}$") && …',
      'signal.ext.cart.matches("^[+][1-9][0-9]{9,14}$") && phoneCountry(signal.ext.cart) == "FR"',
    ],
    [
      '[signal.ext.n, "b"].exists(x, 4 / int(x) == 2)',
      zero,
      'int(x) is 0; nothing is divided by zero: guard it with int(x) != 0 && …',
      '[signal.ext.n, "2"].exists(x, int(x) != 0 && 4 / int(x) == 2)',
    ],
  ])('%s', async (text, values, ...[problem, instead]) => {
    expect(outcomeOf(text, values)).toMatch(/^missing/)

    expect(await problemOf(text, values)).toContain(problem)

    expect(outcomeOf(instead, values)).toMatch(/^(?:true|false)$/)
  })

  test('also of a list with a name that has no answer', async () => {
    const lists = new Map([['offices', 'ip_range' as const]])
    const rule = ruleOf('a', expressionOf('inList("offices", signal.ext.cart)', { lists }))

    expect((await explained(rule, cart)).problem).toBe(
      'signal.ext.cart is "12a", which has no form that this list holds: send what its entries are, and nothing where there is none',
    )
  })

  test('on the part that failed, and the rule says that of the first one that was needed', async () => {
    const text =
      'signal.existing_user && 1 / int(signal.ext.n) == 1 || 2 / int(signal.ext.n) == 1 || 3 / int(signal.ext.n) == 1'

    const { problem, parts } = await explained(
      ruleOf('a', text),
      { ...zero, 'signal.existing_user': false },
      true,
    )

    const failed = parts?.parts?.[1]?.parts?.[0]
    expect(failed).toMatchObject({ text: '2 / int(signal.ext.n)', state: 'failed', problem })
    expect(parts?.problem).toBeUndefined()
  })

  test('even where its tree is too large to come to the part', async () => {
    const list = `[${Array.from({ length: 100 }, (_, at) => at)}]`
    const text = `${list}.all(x, ${list}.all(y, x + y >= 0)) && 1 / int(signal.ext.n) == 1`

    expect(await problemOf(text, zero)).toBe(
      'A part of the rule failed on what arrived: test the rule alone to see which.',
    )
  })

  test('with long values cut short', async () => {
    const problem = await problemOf('int(signal.ext.n) > 1', { 'signal.ext.n': 'x'.repeat(5000) })

    expect(problem?.length).toBeLessThan(600)
  })
})

describe('no such problem has', () => {
  test.each<[string, Values]>([
    ['a rule that waits for a name', {}],
    ['one that ran', { 'signal.ext.n': '1' }],
  ])('%s', async (_, values) => {
    expect(await problemOf('1 / int(signal.ext.n) == 1', values)).toBeUndefined()
  })

  test('one whose first name is missing, whatever else does not convert', async () => {
    const { problem, blocked_by } = await explained(
      ruleOf('a', 'signal.ip == "x" || int(signal.ext.cart) > 3'),
      cart,
    )

    expect([problem, blocked_by]).toEqual([undefined, 'signal.ip'])
  })

  test('a managed rule, which shows nothing that it reads', async () => {
    const rule = await explained(
      ruleOf('a', 'int(signal.ext.cart) > 3', { type: 'MANAGED' }),
      cart,
      true,
    )

    expect(rule).toEqual({
      rule_id: 'a',
      type: 'MANAGED',
      weight: 10,
      outcome: 'NOT_EVALUATED',
      blocked_by: 'missing_data',
    })
  })
})

test('any rule that is blocked on a name that arrived says its problem, and no rule that ran has one', async () => {
  let failed = 0
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(anyRule, arbitraryGuardedRule),
      fc.oneof(anyEvidence, partialEvidence),
      async (text, values) => {
        fc.pre(problemsOf(text).length === 0)
        const { outcome, blocked_by = '', problem } = await explained(ruleOf('a', text), values)

        const arrived = (values[blocked_by] ?? '') !== ''
        if (arrived) failed += 1
        if (arrived || outcome !== 'NOT_EVALUATED') expect(problem !== undefined).toBe(arrived)
      },
    ),
    { numRuns: draws(4000) },
  )
  expect(failed).toBeGreaterThan(5)
})

test('a text that does not convert did not arrive for the read that converts it, and is shown', async () => {
  const text = 'has(signal.ext.cart) && signal.ext.cart != "x" && int(signal.ext.cart) > 3'

  const { reads } = await explained(ruleOf('a', text), cart)

  const shown = { name: 'signal.ext.cart', value: '12a', source: 'request' }
  expect(reads).toEqual([
    { ...shown, use: 'has', arrived: true },
    { ...shown, use: 'read', arrived: true },
    { ...shown, use: 'read', convert: 'int', arrived: false },
  ])
})

test.each([
  ['double(signal.ext.n) / 0.0 > 5.0', 'Infinity'],
  ['-double(signal.ext.n) / 0.0 < 5.0', '-Infinity'],
  ['0.0 / (double(signal.ext.n) - double(signal.ext.n)) > 5.0', 'NaN'],
  ['1.0 in [double(signal.ext.n) / 0.0, 2.0]', ['Infinity', 2]],
])('in %s the value %j is shown as text', async (text, value) => {
  const { parts } = await explained(ruleOf('a', text), { 'signal.ext.n': '1' }, true)

  const shown = (parts?.parts ?? []).map((part) => part.value)
  expect(JSON.parse(JSON.stringify(shown))).toContainEqual(value)
})
