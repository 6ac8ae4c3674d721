import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ValueType } from '../../src/engine/language/expression.ts'
import { parseRule, type RuleOptions } from '../../src/engine/language/parse/parseRule.ts'
import { readableNames } from '../../src/engine/language/readableNames.ts'
import type { Problem } from '../../src/engine/language/syntax.ts'
import { draws } from '../support/draws.ts'
import { arbitraryRule } from './support/arbitraryRule.ts'

function problemIn(text: string, options?: RuleOptions): Problem {
  const parsed = parseRule(text, options)
  if ('expression' in parsed) throw new Error(`${text} compiles`)
  return parsed.problems[0] as Problem
}

/** The characters of the text that the problem is said to be at. */
function faultIn(text: string, options?: RuleOptions): string {
  const { line, column, length } = problemIn(text, options)
  return [...(text.split('\n')[line - 1] ?? '')].slice(column - 1, column - 1 + length).join('')
}

/** What stands behind the last semicolon of the message. */
function hintFor(text: string, options?: RuleOptions): string {
  const { message } = problemIn(text, options)
  return message.includes('; ') ? message.slice(message.indexOf('; ') + 2) : ''
}

const meant = (what: string) => `did you mean '${what}'?`

describe('what is compared with a value of another type', () => {
  test.each([
    ['signal.ext.cart_total > 500', 'convert the text first: double(…)'],
    ['500 <= signal.ext.cart_total', 'convert the text first: double(…)'],
    ['signal.ext.count + 3', 'convert the text first: int(…)'],
    ['signal.existing_user == "true"', meant('signal.existing_user')],
    ['signal.existing_user != "true"', meant('!signal.existing_user')],
    ['"false" == signal.existing_user', meant('!signal.existing_user')],
    ['signal.existing_user == signal.ext.a', 'convert the text first: bool(…)'],
    ['target.phone_number in list.block', meant('list.block')],
    ['target.email_address in list.vip', meant('inList("vip", …)')],
    ['lists.vip', meant('inList("vip", …)')],
  ])('is told what was probably meant: %s', (rule, hint) => {
    expect(hintFor(rule)).toBe(hint)
  })
})

describe('a name that does not exist', () => {
  test.each([
    // mistyped
    ['signal.ipp == "x"', 'signal.ip'],
    ['signal.user_agnet == "x"', 'signal.user_agent'],
    ['signal.IP == "x"', 'signal.ip'],
    ['SIGNAL.IP == "x"', 'signal.ip'],
    ['target.phone == "x"', 'target.phone_number'],
    ['list.blocked', 'list.block'],
    ['request.tme > request.time', 'request.time'],
    // below another root
    ['signals.ip == "x"', 'signal.ip'],
    ['signals.ext.cart_total == "x"', 'signal.ext.cart_total'],
    ['lists.blocked', 'list.block'],
    ['signal.phone_number == "x"', 'target.phone_number'],
    ['target.device_id == "x"', 'signal.device_id'],
    // without one
    ['ip == "x"', 'signal.ip'],
    ['email_address == "x"', 'target.email_address'],
    ['existing_usr', 'signal.existing_user'],
    ['now > request.time', 'request.time'],
    // a value of the caller's own
    ['signal.cart_total == "1"', 'signal.ext.cart_total'],
    ['signals.cart_total == "1"', 'signal.ext.cart_total'],
    ['has(signal.coupon)', 'signal.ext.coupon'],
    ['signal.ext.cart.total == "1"', 'signal.ext["cart.total"]'],
    ['signal.extt.a == "1"', 'signal.ext.a'],
    ['signals.ex.cart_total == "1"', 'signal.ext.cart_total'],
    ['signal.etx["utm source"] == "1"', 'signal.ext["utm source"]'],
    // a function of a value
    ['signal.ip.length == 3', 'size(signal.ip)'],
    ['signal.ext.note.size > 3', 'size(signal.ext.note)'],
    ['signal.ip.lower == "x"', 'signal.ip.lowerAscii()'],
    // words of other languages
    ['True', 'true'],
    ['list.block == FALSE', 'false'],
  ])('is told from the one that was meant: %s', (rule, name) => {
    expect(hintFor(rule)).toBe(meant(name))
  })

  test('may be the variable of a loop, or a parameter', () => {
    const parameters = new Map<string, ValueType>([['limit', 'int']])

    expect(hintFor('["a"].exists(word, signal.ip == wrd)')).toBe(meant('word'))
    expect(hintFor('param.limt > 3', { parameters })).toBe(meant('param.limit'))
    expect(hintFor('params.limit > 3', { parameters })).toBe(meant('param.limit'))
    expect(hintFor('limit > 3', { parameters })).toBe(meant('param.limit'))
  })

  test.each(['foo', 'foo == "x"', 'request.colour == "x"', 'param.limit > 3', 'a.b.c.d', 'list'])(
    'is left without a guess where none is near: %s',
    (rule) => {
      expect(hintFor(rule)).toBe('')
    },
  )

  test('is a key where one is missing', () => {
    expect(hintFor('signal.ext == "x"')).toBe('it takes a key, as in signal.ext.key')
  })

  test('is found for any name with one letter wrong', () => {
    const names = readableNames.map(({ name }) => name).filter((name) => name.length > 12)

    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, at) => {
        const [root = '', field = ''] = name.split('.')
        const index = 1 + (at % (field.length - 1))
        const mistyped = `${root}.${field.slice(0, index)}${field.slice(index + 1)}`
        fc.pre(!names.includes(mistyped))

        expect(hintFor(`has(${mistyped})`)).toBe(meant(name))
      }),
    )
  })
})

describe('a function that does not exist', () => {
  test.each([
    ['signal.ip.startswith("x")', 'x.startsWith(…)'],
    ['signal.ip.starts_with("x")', 'x.startsWith(…)'],
    ['signal.ip.Contains("x")', 'x.contains(…)'],
    ['signal.ip.includes("x")', 'x.contains(…)'],
    ['signal.ip.match("x")', 'matches(…)'],
    ['signal.ip.toLowerCase() == "x"', 'x.lowerAscii()'],
    ['upper(signal.ip) == "X"', 'x.upperAscii()'],
    ['len(signal.ip) == 3', 'size(…)'],
    ['signal.ip.length() == 3', 'size(…)'],
    ['parseInt(signal.ext.n) == 3', 'int(…)'],
    ['float(signal.ext.n) == 3.0', 'double(…)'],
    ['in_cidr(signal.ip, "10.0.0.0/8")', 'inCidr(…)'],
    ['emaildomain(target.email_address) == "x"', 'emailDomain(…)'],
    ['["a"].any(x, true)', '[…].exists(x, …)'],
    ['["a"].every(x, true)', '[…].all(x, …)'],
    ['request.time.getYear() == 2024', 'x.getFullYear()'],
    ['now() > request.time', 'request.time'],
  ])('is told from the one that was meant: %s', (rule, name) => {
    expect(hintFor(rule)).toBe(meant(name))
  })

  test.each(['foo(1)', 'signal.ip.foo()', '[1].map(x, x) == 1', 'dyn(true)'])(
    'is left without a guess where none is near: %s',
    (rule) => {
      expect(hintFor(rule)).toBe('')
    },
  )
})

describe('an operator of another language', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['list.block and list.allow', 'and', meant('&&')],
    ['list.block AND list.allow', 'AND', meant('&&')],
    ['(list.block or list.allow)', 'or', meant('||')],
    ['list.block\n  or list.allow', 'or', meant('||')],
    ['not list.block', 'not', meant('!')],
    ['list.allow && not list.block', 'not', meant('!')],
    ['list.block & list.allow', '&', meant('&&')],
    ['list.block | list.allow', '|', meant('||')],
    ['signal.ip = "a"', '=', meant('==')],
    ['signal.ip === "a"', '===', meant('==')],
    ['signal.ip !== "a"', '!==', meant('!=')],
    ['signal.ip <> "a"', '<>', meant('!=')],
    ['1 => 2', '=>', meant('>=')],
    ['1 > = 2', '=', meant('>=')],
    ['signal.ip is "a"', 'is', meant('==')],
    ['7 mod 2 == 1', 'mod', meant('%')],
    ['signal.ip not in ["a"]', 'not', 'did you mean !(… in …)?'],
    ['signal.ip ~ "x"', '~', 'it is written x.matches("…")'],
    ['signal.ip contains "x"', 'contains', 'it is written x.contains("…")'],
    ['if list.block then true', 'if', "a choice is written 'condition ? one : other'"],
  ]

  test.each(rows)('%j is marked at %j', (rule, fault, hint) => {
    expect(faultIn(rule)).toBe(fault)
    expect(hintFor(rule)).toBe(hint)
    expect(problemIn(rule).message).toContain(`unexpected '${fault}'`)
  })
})

describe('signs that do not belong', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['signal.ip == “x”', '“', 'a text is written between two " or two \''],
    ['signal.ip == `x`', '`', 'a text is written between two " or two \''],
    ["'it's' == signal.ip", 's', "inside a text ' is written \\'"],
    ['"say "x"" == signal.ip', 'x', 'inside a text " is written \\"'],
    ['list.block; list.allow', ';', 'a rule is one expression; conditions are joined by && or ||'],
    ['list.block # never', '#', 'a comment begins with //'],
    ['list.block)', ')', "no '(' belongs to it"],
    ['true && && true', '&&', ''],
  ]

  test.each(rows)('%j is marked at %j', (rule, fault, hint) => {
    expect(faultIn(rule)).toBe(fault)
    expect(hintFor(rule)).toBe(hint)
  })

  test.each([
    ['(list.block', "the rule ends too early, expected ')'"],
    ['[1, 2', "the rule ends too early, expected ']'"],
    ['list.block ? true', "the rule ends too early, expected ':'"],
    ['list.block &&', 'the rule ends too early'],
    ['signal.ip == "abc', 'the text that begins here does not end'],
    ['signal.ip == """abc', 'the text that begins here does not end'],
  ])('%j: %s', (rule, said) => {
    expect(problemIn(rule).message).toMatch(
      new RegExp(`: Syntax error: ${said.replaceAll(/[)\]]/g, '\\$&')}$`),
    )
  })
})

describe('a mistake is as long as what is at fault', () => {
  test.each([
    ['signal.ipp == "x"', 'signal.ipp'],
    ['list.block && signal.ext[1] == ""', '1'],
    ['signal.ip.foo("x")', 'foo'],
    ['signal.ip.\n  foo("x")', 'foo'],
    ['(signal.ip + "x").foo("y")', 'foo'],
    ['foo(signal.ip)', 'foo'],
    ['"😀😀" == foo', 'foo'],
    ['list.block && 1 + "x" == 2', '1 + "x"'],
    ['list.block && 1 / 0 == 2', '1 / 0 == 2'],
    ['signal.ip.matches("(")', '"("'],
    ['inCidr(signal.ip, ["10.0.0.1/8"])', '["10.0.0.1/8"]'],
    ['request.time > timestamp("2024")', '"2024"'],
    ['signal.ip in ["a", 1]', '1'],
    ['signal.ip in []', '[]'],
    ['9007199254740992 > 1', '9007199254740992'],
    ['-9007199254740992 > 1', '-9007199254740992'],
    ['list.block && null', 'null'],
    ['["a"].exists(signal, true)', 'signal'],
    ['has(1 == 1)', 'has(1 == 1)'],
    // of what goes over several lines the first
    ['1 +\n "x" == "1"', '1 +'],
    // at the end of the text there is nothing to be as long as
    ['list.block &&', ''],
  ])('%j at %j', (rule, fault) => {
    expect(faultIn(rule)).toBe(fault)
    expect(problemIn(rule).length).toBe(Math.max(1, [...fault].length))
  })

  test('whatever is wrong, the place lies in the text', () => {
    const garbled = fc
      .tuple(arbitraryRule, fc.nat(), fc.constantFrom('', '=', ' and ', '"', ')', '😀', '\n', '.x'))
      .map(([rule, at, sign]) => {
        const index = at % (rule.length + 1)
        return rule.slice(0, index) + sign + rule.slice(index + (at % 3))
      })

    fc.assert(
      fc.property(fc.oneof(garbled, fc.string({ unit: 'grapheme' })), (text) => {
        const parsed = parseRule(text)
        if ('expression' in parsed) return
        const lines = text.split('\n')
        for (const { line, column, length, message } of parsed.problems) {
          const characters = [...(lines[line - 1] ?? '')]

          expect(line).toBeGreaterThanOrEqual(1)
          expect(line).toBeLessThanOrEqual(lines.length)
          expect(column).toBeGreaterThanOrEqual(1)
          expect(length).toBeGreaterThanOrEqual(1)
          expect(column + length - 1).toBeLessThanOrEqual(Math.max(column, characters.length))
          expect(message).toContain(`<input>:${line}:${column}: `)
        }
      }),
      { numRuns: draws(2000) },
    )
  })
})

test('a guess costs little, however long the name', () => {
  const name = 'x'.repeat(4000)

  expect(hintFor(`signal.ext.a == ${name}`)).toBe('')
  expect(hintFor(`signal.${name}`)).toBe(meant(`signal.ext.${name}`))
})
