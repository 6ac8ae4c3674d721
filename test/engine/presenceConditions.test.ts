import { describe, expect, test } from 'vitest'
import { findUnreachableNodes } from '../../src/engine/language/presenceConditions.ts'
import { unparse } from '../../src/engine/language/unparse.ts'
import { evidenceOf, expressionOf, onlyRule, outcomeOf } from './support/evaluate.ts'

/** `a`, `b` and `n` are names under `signal.ext`; `?a` asks for one. */
function full(text: string): string {
  return text
    .replaceAll(/\?([abn])\b/g, 'has(signal.ext.$1)')
    .replaceAll(/@([abn])\b/g, 'signal.ext.$1')
}

type Row = readonly [rule: string, arrived: Readonly<Record<string, string>>, outcome: string]

const a = { 'signal.ext.a': 'x' }
const b = { 'signal.ext.b': 'x' }
const both = { ...a, ...b }

describe('a read counts only where the guards let it be reached', () => {
  const rows: readonly Row[] = [
    // a choice
    ['?a ? @a == "x" : @b == "x"', a, 'true'],
    ['?a ? @a == "x" : @b == "x"', b, 'true'],
    ['?a ? @a == "x" : @b == "x"', {}, 'missing signal.ext.b'],
    ['(?a ? @a : @b) == "x"', a, 'true'],
    ['(?a ? @a : @b) == "x"', {}, 'missing signal.ext.b'],
    ['!?a ? @b == "x" : @a == "x"', a, 'true'],
    ['?a ? (?b ? @a == @b : @a == "x") : false', a, 'true'],
    ['?a ? (?b ? @a == @b : @a == "x") : false', both, 'true'],
    ['?a ? (?b ? @a == @b : @a == "x") : false', b, 'false'],
    // a chain
    ['?a && @a == "x"', {}, 'false'],
    ['?a && @a == "x"', a, 'true'],
    ['!?a || @a == "x"', {}, 'true'],
    ['!?a || @a == "y"', a, 'false'],
    ['?a || @b == "x"', a, 'true'],
    ['?a || @b == "x"', {}, 'missing signal.ext.b'],
    ['!?a && @b == "x"', a, 'false'],
    ['?a && ?b && @a == @b', a, 'false'],
    ['?a && ?b && @a == @b', both, 'true'],
    ['?a && @a == "x" || ?b && @b == "x"', b, 'true'],
    ['?a && (@a == "x" || @b == "x")', {}, 'false'],
    ['?a && (@a == "x" || @b == "x")', a, 'missing signal.ext.b'],
    ['(?a || ?b) && @n == "1"', {}, 'false'],
    ['(?a || ?b) && @n == "1"', a, 'missing signal.ext.n'],
    ['!(?a && ?b) || @a == @b', a, 'true'],
    // what stands to the left of a guard is reached before it
    ['@a == "x" && ?a', {}, 'missing signal.ext.a'],
    ['@b == "x" && ?a && @a == "x"', {}, 'missing signal.ext.b'],
    ['@b == "x" && ?a && @a == "x"', b, 'false'],
    ['@b == "y" && ?a && @a == "x"', b, 'false'],
    // a guard decides also behind what it does not decide
    ['(@b == "x" && ?a) ? @a == "x" : true', b, 'true'],
    ['(@b == "y" || !?a) ? true : @a == "x"', b, 'true'],
    ['(@b == "x" ? ?a : ?a) && @a == "x"', b, 'false'],
    ['(@b == "x" ? ?a : ?b) && @a == "x"', b, 'missing signal.ext.a'],
    // elsewhere in a rule
    ['["x"].exists(v, ?a && @a == v)', {}, 'false'],
    ['["x"].exists(v, ?a && @a == v)', a, 'true'],
    ['["x", ?a ? @a : "y"].all(v, v != "y")', {}, 'false'],
    ['size(?a ? @a : "") == 0', {}, 'true'],
    ['(?n ? int(@n) : 0) + 1 > 1', {}, 'false'],
    ['(?n ? int(@n) : 0) + 1 > 1', { 'signal.ext.n': '7' }, 'true'],
    ['"x" in ["y", ?a ? @a : "x"]', {}, 'true'],
    // arrived, and no number: a conversion belongs to the read
    ['?n ? int(@n) > 2 : false', { 'signal.ext.n': 'many' }, 'missing signal.ext.n'],
    ['?n && int(@n) > 2', { 'signal.ext.n': '' }, 'false'],
    // a read that counts in one place counts
    ['?a && @b == "x" || @b == "y"', {}, 'missing signal.ext.b'],
  ]

  test.each(rows)('%s over %j is %s', (rule, arrived, outcome) => {
    expect(outcomeOf(full(rule), arrived)).toBe(outcome)
  })
})

describe('a read counts as before where no guard of `has` stands before it', () => {
  const rows: readonly Row[] = [
    ['true || @a == "x"', {}, 'missing signal.ext.a'],
    ['false && @a == "x" || true', {}, 'missing signal.ext.a'],
    ['(true ? true : @a == "x")', {}, 'missing signal.ext.a'],
    ['list.block && @a == "x"', { 'list.block': '' }, 'missing list.block'],
    ['(?a == true) && @a == "x"', {}, 'missing signal.ext.a'],
    ['["x"].exists(v, ?a) && @a == "x"', {}, 'missing signal.ext.a'],
    ['(?a ? 1 : 0) == 1 && @a == "x"', {}, 'missing signal.ext.a'],
    ['@a == "x" || ?b', b, 'missing signal.ext.a'],
  ]

  test.each(rows)('%s over %j is %s', (rule, arrived, outcome) => {
    expect(outcomeOf(full(rule), arrived)).toBe(outcome)
  })
})

describe('the first read that counts and lacks is named', () => {
  const rows: readonly Row[] = [
    ['?a ? @a == "x" : @b == @n', {}, 'missing signal.ext.b'],
    ['?a ? @a == "x" : @n == @b', b, 'missing signal.ext.n'],
    ['(?b ? @b : "x") == @a && @n == "1"', {}, 'missing signal.ext.a'],
    ['@n == "1" && (?a ? @a : @b) == "x"', {}, 'missing signal.ext.n'],
  ]

  test.each(rows)('%s over %j is %s', (rule, arrived, outcome) => {
    expect(outcomeOf(full(rule), arrived)).toBe(outcome)
  })
})

describe('what fails is blamed on what its author can mend, never on the service', () => {
  const zero = { 'signal.ext.n': '0' }
  const rows: readonly Row[] = [
    ['6 / (?n ? int(@n) : 1) == 2', zero, 'missing signal.ext.n'],
    // a name that the part did not come to is not to blame
    ['6 / (?a ? int(@a) : int(@n)) == 2', zero, 'missing signal.ext.n'],
    ['6 / (!?a ? int(@n) : int(@a)) == 2', zero, 'missing signal.ext.n'],
    // asked for, not read
    ['1 / (?a ? 1 : 0) == 1', {}, 'missing signal.ext.a'],
    ['1 / (?a ? 1 : 0) == 1', a, 'true'],
    ['@b == "x" && 1 / (?a ? 0 : ?n ? 1 : 0) == 1', { ...b, ...a }, 'missing signal.ext.a'],
    // through the variable of a loop
    ['[?n ? int(@n) : 1].exists(v, 6 / v == 6)', zero, 'missing signal.ext.n'],
    ['[?a ? 0 : 1].exists(v, 6 / v == 6)', a, 'missing signal.ext.a'],
    ['[?a ? 1 : 0].exists(v, [v].exists(w, 6 / w == 6))', {}, 'missing signal.ext.a'],
    [
      '[@n].exists(v, [@a].exists(v, 6 / (size(v) - 1) == 6))',
      { ...zero, ...a },
      'missing signal.ext.a',
    ],
    // without any name in the part
    ['[0].exists(v, 6 / v == 6 || ?a)', {}, 'missing signal.ext.a'],
    ['[0].exists(v, 6 / v == 6 || ?a && @b == "x")', both, 'missing signal.ext.b'],
  ]

  test.each(rows)('%s over %j is %s', (rule, arrived, outcome) => {
    expect(outcomeOf(full(rule), arrived)).toBe(outcome)
  })
})

test('a long chain of guards in loops in loops is looked through once', () => {
  const loops = Array.from({ length: 14 }, (_, i) => `[x${i}, x${i}, x${i}].exists(x${i + 1}, `)
  const text = full(`[?a ? 0 : 0].exists(x0, ${loops.join('')}6 / x14 == 1${')'.repeat(15)}`)
  const compiled = onlyRule(text)

  const begun = process.cpuUsage()
  const [recipe] = compiled.run(evidenceOf({})).recipes
  const { user } = process.cpuUsage(begun)

  expect(recipe?.rules[0]?.blocked_by).toBe('signal.ext.a')
  // going through every combination would take hours
  expect(user).toBeLessThan(5_000_000)
})

describe('the parts that are not reached', () => {
  const rows = [
    ['?a && @a == "x"', {}, ['@a == "x"']],
    ['?a && @a == "x"', a, []],
    ['?a ? @a == "x" : @b == "x"', a, ['@b == "x"']],
    ['?a && ?b && @a == @b', b, ['?b', '@a == @b']],
    ['!?a || (@a == "x" || @b == "x") || @n == "1"', {}, ['@a == "x" || @b == "x"', '@n == "1"']],
    ['["x"].all(v, ?a ? @a == v : true)', {}, ['@a == v']],
    ['@a == "x" && true || @b == "x"', {}, []],
  ] as const

  test.each(rows)('of %s over %j are %j', (rule, arrived, parts) => {
    const names = new Set(Object.keys(arrived))

    const unreached = findUnreachableNodes(expressionOf(full(rule)), (name) => names.has(name))

    expect([...unreached].map(unparse)).toEqual(parts.map(full))
  })
})
