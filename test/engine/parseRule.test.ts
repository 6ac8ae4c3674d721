import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import { parseRule } from '../../src/engine/language/parse/parseRule.ts'
import { pinPlan } from '../../src/state/evaluation/pinPlan.ts'
import { draws } from '../support/draws.ts'
import { expressionOf, planOf, problemsOf, recipeOf, ruleOf } from './support/evaluate.ts'

describe('a rule that means something becomes plain data', () => {
  test('with the place of every part', () => {
    const expression = expressionOf('has(signal.ip) &&\n  int(signal.ext.n) > 3')

    expect(expression).toEqual({
      kind: 'call',
      operator: '&&',
      at: [1, 1],
      args: [
        { kind: 'has', name: 'signal.ip', at: [1, 1] },
        {
          kind: 'call',
          operator: '>',
          at: [2, 3],
          args: [
            { kind: 'read', name: 'signal.ext.n', convert: 'int', at: [2, 3] },
            { kind: 'literal', type: 'int', value: 3, at: [2, 23] },
          ],
        },
      ],
    })
  })

  test('that can be recorded in a plan, however deep it is allowed to be', async () => {
    const deepest = (wrap: (inner: string) => string, inner: string): Expression => {
      const deeper = wrap(inner)
      return problemsOf(deeper).length > 0 ? expressionOf(inner) : deepest(wrap, deeper)
    }
    const rules = [
      deepest((inner) => `!${inner}`, 'true'),
      deepest((inner) => `true ? ${inner} : false`, 'signal.ip.contains("a" + signal.ip)'),
      deepest((inner) => `[1].all(x, ${inner})`, 'signal.ip in [signal.ip]'),
    ].map((expression, index) => ruleOf(`rul_${index}`, 'true', { expression }))

    const plan = planOf(recipeOf(rules))
    expect(runAtOnce(pinPlan('acc_1', plan)).expressions.size).toBe(3)
  })

  test('a chain of any length is one level', () => {
    const text = Array.from({ length: 300 }, () => 'signal.existing_user')
      .join(' || ')
      .slice(0, 4000)
    const chain = text.slice(0, text.lastIndexOf(' ||'))

    expect(problemsOf(chain)).toEqual([])
  })

  test('columns count characters, not UTF-16 units', () => {
    expect(problemsOf('"😀😀" == foo')).toEqual(["1:9: undeclared reference to 'foo'"])
  })

  test('parameters are known where they are declared, with their types', () => {
    const parameters = new Map([['limit', 'int'] as const])

    expect(problemsOf('int(signal.ext.n) > param.limit', { parameters })).toEqual([])
    expect(problemsOf('param.limit == "x"', { parameters })[0]).toMatch(/^1:1: found no matching/)
    expect(problemsOf('param.other == 1', { parameters })).toEqual([
      "1:1: undeclared reference to 'param.other'",
    ])
    expect(problemsOf('param.limit == 1')).toEqual(["1:1: undeclared reference to 'param.limit'"])
  })
})

const noOverload = (name: string, types: string) =>
  `found no matching overload for '${name}' applied to '(${types})'`
const undeclared = (name: string, meant: string) =>
  `undeclared reference to '${name}'; did you mean '${meant}'?`

const refusals: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'names that are not': [
    ['true && foo', "1:9: undeclared reference to 'foo'"],
    ['signal', "1:1: undeclared reference to 'signal'"],
    ['signal.ext.a.b == "x"', `1:1: ${undeclared('signal.ext.a.b', 'signal.ext["a.b"]')}`],
    ['signal["ip"] == "x"', "1:1: 'signal.ip' is written with a dot, not in brackets"],
    [
      'signal.ext[signal.ip] == ""',
      '1:12: the key of signal.ext must be a text written in the rule',
    ],
    ['signal.ext[1] == ""', '1:12: the key of signal.ext must be a text written in the rule'],
    ['signal.ext[""] == ""', '1:1: the key of signal.ext must not be empty'],
    ['target.type == "x"', "1:1: undeclared reference to 'target.type'"],
    ['foo(1)', "1:1: undeclared reference to 'foo'"],
  ],
  'ways to JavaScript': [
    ['signal.toString == "x"', `1:1: ${undeclared('signal.toString', 'signal.ext.toString')}`],
    ['constructor == "x"', "1:1: undeclared reference to 'constructor'"],
    ['toString() == "x"', `1:1: ${undeclared('toString', 'string(…)')}`],
    ['signal.ip.toString() == "x"', `1:11: ${undeclared('toString', 'string(…)')}`],
    ['signal.ip.length == 3', `1:1: ${undeclared('signal.ip.length', 'size(signal.ip)')}`],
    ['hasOwnProperty("a")', "1:1: undeclared reference to 'hasOwnProperty'"],
    ['["a"].exists(x, x.constructor == "a")', "1:17: 'x' has no fields"],
    ['["a"].exists(x, x["a"] == "a")', "1:17: 'x' has no fields"],
  ],
  'comparisons that cannot be': [
    [
      'true &&\n  signal.ext.n > 3.5',
      `2:3: ${noOverload('_>_', 'string, double')}; convert the text first: double(…)`,
    ],
    [
      'signal.ip in "abc"',
      `1:1: ${noOverload('@in', 'string, string')}; the right side of in must be a list written in the rule`,
    ],
    [
      '["a"] == ["a"]',
      `1:1: ${noOverload('_==_', 'list(string), list(string)')}; lists have in, size, exists and all`,
    ],
    [
      'request.time > 3',
      `1:1: ${noOverload('_>_', 'timestamp, int')}; both sides must be of one type`,
    ],
    [
      'int(signal.ext.n) + 1.5 > 2.0',
      `1:1: ${noOverload('_+_', 'int, double')}; convert the int first: double(…)`,
    ],
    [
      'request.time + request.time > request.time',
      `1:1: ${noOverload('_+_', 'timestamp, timestamp')}; it takes (int, int) or (double, double) or (string, string) or (timestamp, duration) or (duration, timestamp) or (duration, duration)`,
    ],
    ['!signal.ip', `1:1: ${noOverload('!_', 'string')}; it takes (bool)`],
    [
      'signal.existing_user && signal.ip',
      `1:25: ${noOverload('_&&_', 'bool, string')}; both sides of && must be bool, and this is string`,
    ],
    [
      '(signal.existing_user ? 1 : "a") == 1',
      `1:2: ${noOverload('_?_:_', 'bool, int, string')}; the condition must be bool and both branches of one type`,
    ],
  ],
  'rules that are not bool': [
    ['signal.ip', "1:1: expected type 'bool' but found 'string'"],
    ['1 + 1', "1:1: expected type 'bool' but found 'int'"],
    ['["a"].exists(x, x)', "1:17: expected type 'bool' but found 'string'"],
  ],
  'functions used otherwise': [
    [
      'contains(signal.ip, "a")',
      `1:1: ${noOverload('contains', 'string, string')}; it is written x.contains(…)`,
    ],
    [
      'signal.ip.inCidr("10.0.0.0/8")',
      `1:1: ${noOverload('inCidr', 'string, string')}; it is written inCidr(…)`,
    ],
    ['"1".int() == 1', `1:1: ${noOverload('int', 'string')}; it is written int(…)`],
    [
      'request.time.getHours("Europe/Paris") == 1',
      `1:1: ${noOverload('getHours', 'timestamp, string')}; times are in UTC only`,
    ],
    ['has(signal)', '1:1: has() takes one name, as in has(signal.ip)'],
    ['has(signal.foo)', `1:5: ${undeclared('signal.foo', 'signal.ext.foo')}`],
    ['has(1 == 1)', '1:1: has() takes one name, as in has(signal.ip)'],
    ['signal.ip.has(signal.ip)', `1:11: ${undeclared('has', 'x.contains(…)')}`],
    [
      'signal.ip.exists(x, true)',
      '1:1: exists is written ["a", "b"].exists(x, …) over a list in the rule',
    ],
    ['exists(x, true)', '1:1: exists is written ["a", "b"].exists(x, …) over a list in the rule'],
    ['["a"].all(signal, true)', '1:11: all needs a variable of its own first'],
  ],
  'literals that say nothing': [
    [
      'signal.ip.matches("[a")',
      '1:19: the pattern is not a regular expression (RE2): error parsing regexp: missing closing ]: `[a`',
    ],
    ['signal.ip.matches("a(?=b)")', '1:19: look-around is not in the language of patterns (RE2)'],
    ['signal.ip.matches("(?<!a)b")', '1:19: look-around is not in the language of patterns (RE2)'],
    [
      'signal.ip.matches("(a)\\\\1")',
      '1:19: back-references are not in the language of patterns (RE2)',
    ],
    [
      'signal.ip.matches(signal.ip)',
      '1:19: the last argument of matches must be written in the rule',
    ],
    [
      'inCidr(signal.ip, signal.ip)',
      '1:19: the last argument of inCidr must be written in the rule',
    ],
    [
      'inCidr(signal.ip, "10.0.0.0")',
      '1:19: \'10.0.0.0\' is not a network like "10.0.0.0/8" or "2001:db8::/32"',
    ],
    ['inCidr(signal.ip, "10.0.0.0/33")', "1:19: '10.0.0.0/33' has a prefix outside its address"],
    ['inCidr(signal.ip, "10.0.0.1/8")', "1:19: '10.0.0.1/8' has bits set beyond its prefix"],
    [
      'inCidr(signal.ip, ["10.0.0.0/8", "x"])',
      '1:19: \'x\' is not a network like "10.0.0.0/8" or "2001:db8::/32"',
    ],
    [
      'request.time < timestamp("2024-02-30T00:00:00Z")',
      "1:26: '2024-02-30T00:00:00Z' is not a timestamp like 2024-05-31T12:00:00Z (RFC 3339)",
    ],
    [
      'request.time < timestamp("2024-02-01")',
      "1:26: '2024-02-01' is not a timestamp like 2024-05-31T12:00:00Z (RFC 3339)",
    ],
    ['duration("1d") < duration("1h")', "1:10: '1d' is not a duration like 1h30m or 250ms"],
    [
      'duration("1ns") < duration("1h")',
      "1:10: '1ns' is not a duration like 1h30m or 250ms, finer than milliseconds",
    ],
    ['9007199254740992 > 1', '1:1: the int 9007199254740992 is beyond 9007199254740991 (2^53 - 1)'],
    [
      '-9007199254740992 < 1',
      '1:1: the int -9007199254740992 is beyond 9007199254740991 (2^53 - 1)',
    ],
    ['signal.ip in []', '1:14: the list is empty'],
    ['signal.ip in ["a", 1]', '1:20: the items of a list must be of one type, not string and int'],
    ['size([["a"]]) == 1', '1:7: a list cannot contain lists'],
  ],
  'parts that fail whatever arrives': [
    ['signal.existing_user || 1 / 0 == 1', '1:25: this part fails whatever arrives'],
    ['int("x") == int(signal.ext.n)', '1:1: this part fails whatever arrives'],
    ['9007199254740991 + 1 > 0', '1:1: this part fails whatever arrives'],
    ['[1, 0].all(x, 1 / x == 1)', '1:1: this part fails whatever arrives'],
    [
      'emailDomain("jane") == emailDomain(target.email_address)',
      '1:1: this part fails whatever arrives',
    ],
    ['timestamp("2024" + "-") < request.time', '1:1: this part fails whatever arrives'],
  ],
  'what CEL has and rules do not': [
    ['null == null', '1:1: null is not in the language of rules'],
    ['b"a" == "a"', '1:1: a bytes literal is not in the language of rules'],
    ['1u == 1', '1:1: an unsigned integer is not in the language of rules'],
    ['{"a": true}["a"]', '1:1: fields can be read of signal, target, list, request and flow only'],
    ['{"a": 1} == 1', '1:1: a map is not in the language of rules'],
    ['[true][0]', '1:1: fields can be read of signal, target, list, request and flow only'],
    ['type(1) == 1', "1:1: undeclared reference to 'type'"],
    ['dyn(true)', "1:1: undeclared reference to 'dyn'"],
    ['[1].map(x, x) == 1', "1:5: undeclared reference to 'map'"],
    ['[1].filter(x, true) == 1', "1:5: undeclared reference to 'filter'"],
    ['[1].exists_one(x, true)', "1:5: undeclared reference to 'exists_one'"],
    ['cel.bind(x, 1, x == 1)', "1:5: undeclared reference to 'bind'"],
    ['uint(1) == 1', `1:1: ${undeclared('uint', 'int(…)')}`],
    ['bytes("a") == "a"', "1:1: undeclared reference to 'bytes'"],
  ],
  'texts that are no expressions': [
    ['', '1:1: Syntax error: the rule ends too early'],
    ['true &&\n  && true', "2:3: Syntax error: unexpected '&&'"],
    ['__proto__ == 1', "1:1: Syntax error: unexpected '__proto__'"],
    ['"\ud800" == ""', '1:1: the rule is not well-formed Unicode'],
  ],
}

for (const [topic, rows] of Object.entries(refusals)) {
  describe(`refuses ${topic}`, () => {
    test.each(rows)('%j with its place', (rule, problem) => {
      expect(problemsOf(rule)[0]).toBe(problem)
    })
  })
}

describe('refuses what is too much', () => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ['brackets', '('.repeat(2000), /^1:251: the rule is nested deeper than 24 levels$/],
    ['lists in lists', '['.repeat(2000), /^1:251: the rule is nested deeper than 24 levels$/],
    ['negations', `${'!'.repeat(4000)}true`, /^1:25: the rule is nested deeper than 24 levels$/],
    ['minuses', `${'-'.repeat(4000)}1 == 1`, /^1:\d+: the rule is nested deeper than 24 levels$/],
    ['sums', `1${'+1'.repeat(2000)} == 1`, /^1:1: the rule is nested deeper than 24 levels$/],
    ['fields', `a${'.a'.repeat(2000)}`, /nested deeper than 24 levels$/],
    [
      'a pattern unfolded',
      'signal.ip.matches("(ab|cd){900}")',
      /^1:19: the pattern has a size of 6302, and at most 2000 fit$/,
    ],
    [
      'patterns of patterns',
      `signal.ip.matches("${'(a|b)'.repeat(80)}{900}")`,
      /^1:19: the pattern has a size of 4897, and at most 2000 fit$/,
    ],
  ]

  test.each(rows)('%s', (_, rule, problem) => {
    expect(problemsOf(rule)[0]).toMatch(problem)
  })
})

describe('whatever the text, the answer is an expression or problems with places', () => {
  const isAnswer = (text: string) => {
    const parsed = parseRule(text)
    if ('expression' in parsed) return
    expect(parsed.problems.length).toBeGreaterThan(0)
    for (const { line, column, message } of parsed.problems) {
      expect(message.startsWith(`ERROR: <input>:${line}:${column}: `)).toBe(true)
    }
  }

  test('for any characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), isAnswer))
  })

  test('for any tokens of the language in any order', () => {
    const tokens = [
      ...'.,()[]{}?:+-*/%<>!&|="\'',
      ...['signal', 'ext', 'ip', 'target', 'list', 'has', 'in', 'exists', 'all', 'true', 'null'],
      ...['==', '&&', '||', '"a"', '1', '2.5', '1u', 'x', 'size', 'int', 'matches', '__proto__'],
      ...[' ', '\n', 'toString', 'constructor', 'prototype', 'valueOf', '.ip', 'signal.ip', '[1]'],
    ]
    const text = fc.array(fc.constantFrom(...tokens), { maxLength: 30 }).map((all) => all.join(''))

    fc.assert(fc.property(text, isAnswer), { numRuns: draws(2000) })
  })
})
