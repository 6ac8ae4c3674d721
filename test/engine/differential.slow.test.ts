import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryEvidence, arbitraryRule } from './support/arbitraryRule.ts'
import { celOutcome } from './support/celOutcome.ts'
import { outcomeOf, problemsOf, type Values } from './support/evaluate.ts'

describe('with all evidence present, a rule gives what CEL gives', () => {
  test('for any well-typed rule', () => {
    fc.assert(
      fc.property(arbitraryRule, arbitraryEvidence, (rule, values) => {
        const reference = celOutcome(rule, values)
        fc.pre(reference !== 'error')

        expect(outcomeOf(rule, values)).toBe(reference)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the differences that are meant', () => {
  const evidence: Values = { 'signal.ip': '203.0.113.7', 'signal.ext.n': '0', 'signal.ext.x': 'x' }
  const rows: readonly (readonly [string, string, string, string])[] = [
    [
      'what was not sent blocks the rule, also where the other side decides',
      'signal.ip != "" || signal.ext.y == "1"',
      'true',
      'missing signal.ext.y',
    ],
    [
      'only `has` lets a rule do without a name, not what is written in it',
      'true || signal.ext.y == "1"',
      'true',
      'missing signal.ext.y',
    ],
    [
      'nor does a comparison pass on what `has` said',
      '(has(signal.ext.y) == true) ? signal.ext.y == "1" : true',
      'true',
      'missing signal.ext.y',
    ],
    [
      'a conversion of a name is part of what the rule reads',
      'signal.ip != "" || int(signal.ext.x) == 1',
      'true',
      'missing signal.ext.x',
    ],
    [
      'the left side is evaluated first, and its failure is not forgotten',
      '1 / int(signal.ext.n) == 1 || signal.ip != ""',
      'true',
      'missing signal.ext.n',
    ],
    [
      'exists stops at a failure before it finds an item',
      '[0, 1].exists(x, 1 / (x + int(signal.ext.n)) == 1)',
      'true',
      'missing signal.ext.n',
    ],
    [
      'ints end at 2^53 - 1',
      '9007199254740991 + int("1") + int(signal.ext.n) > 0',
      'true',
      'refused',
    ],
    [
      'a text with a space is no number',
      'double(" 1") + double(signal.ext.n) == 1.0',
      'true',
      'refused',
    ],
    [
      'infinity is no number in a text',
      'double("Infinity") > double(signal.ext.n)',
      'true',
      'refused',
    ],
    [
      'an int becomes a timestamp by seconds, as the specification of CEL says',
      'timestamp(1 + int(signal.ext.n)) == timestamp("1970-01-01T00:00:01Z")',
      'false',
      'true',
    ],
    [
      'texts are ordered by code points, as the specification of CEL says',
      '"\\uffff" + signal.ip < "\\U0001f600"',
      'false',
      'true',
    ],
  ]

  test.each(rows)('%s', (_, rule, ...[reference, ours]) => {
    expect(celOutcome(rule, evidence)).toBe(reference)
    expect(problemsOf(rule).length > 0 ? 'refused' : outcomeOf(rule, evidence)).toBe(ours)
  })
})
