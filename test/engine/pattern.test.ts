import { RE2JS } from '@bufbuild/re2'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../src/engine/language/pattern/compilePattern.ts'
import { literalMatcher } from '../../src/engine/language/pattern/literal.ts'
import { matcherOf } from '../../src/engine/language/pattern/matcher.ts'
import { programOf } from '../../src/engine/language/pattern/program.ts'
import { draws } from '../support/draws.ts'

const tested = (pattern: string, text: string): boolean => {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') throw new Error(compiled)
  return compiled.test(text)
}

describe('a pattern', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['', '', true],
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['c$', 'abc', true],
    ['c$', 'abc\n', false],
    ['(?m)c$', 'abc\nd', true],
    ['(?m)^d', 'abc\nd', true],
    ['^d', 'abc\nd', false],
    ['a.c', 'a\nc', false],
    ['(?s)a.c', 'a\nc', true],
    ['\\Aabc\\z', 'abc', true],
    ['\\bfoo\\b', 'a foo b', true],
    ['\\bfoo\\b', 'afoo b', false],
    ['\\Boo\\b', 'a foo', true],
    ['^\\b', 'a', true],
    ['\\b$', 'a', true],
    ['\\b', '', false],
    ['\\B', '', true],
    ['(?i)STRASSE', 'Strasse', true],
    ['(?i)k', '\u212a', true],
    ['\\pL+', 'né', true],
    ['^\\PL+$', 'né', false],
    ['^.$', '😀', true],
    ['^..$', '😀', false],
    ['[😀-😃]', 'x😂', true],
    ['^(a|ab)(c|bcd)(d*)$', 'abcd', true],
    ['a{2,3}b', 'aab', true],
    ['^a{2,3}b', 'aaaab', false],
    ['a{0}b', 'b', true],
    ['x*', '', true],
    ['[^a]', 'a', false],
    ['\\d+\\.\\d+', 'v1.25', true],
    ['(?:a|b)+?c', 'ababc', true],
    ['[[:alpha:]]_', 'x_', true],
    ['\\Q.*\\E', 'a.*b', true],
    ['a\\.b', 'axb', false],
  ]

  test.each(rows)('%j in %j is %s', (pattern, text, found) => {
    expect(tested(pattern, text)).toBe(found)
  })
})

const piece = fc.constantFrom(
  ...[
    'a',
    'b',
    '.',
    'é',
    '😀',
    '\\b',
    '\\B',
    '^',
    '$',
    '\\n',
    '[ab]',
    '[^a]',
    '\\w',
    '\\s',
    '(?i)A',
  ],
)
const arbitraryPattern = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'pattern' },
    piece,
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}'))
      .map(([a, q]) => `(?:${a})${q}`),
  ),
})).pattern
const arbitraryText = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', 'é', '😀', '\n', ' ', '_', '.'),
  maxLength: 12,
})

describe('for any pattern and text', () => {
  test('the answer is that of the library, with and without what is told beforehand', () => {
    fc.assert(
      fc.property(arbitraryPattern, arbitraryText, (pattern, text) => {
        const program = programOf(pattern)
        if (typeof program === 'string') throw new Error(program)
        const reference = new RE2JS(pattern).test(text)

        expect(tested(pattern, text)).toBe(reference)
        expect(matcherOf(program)(text)).toBe(reference)
      }),
      { numRuns: draws(3000) },
    )
  })

  test('one that is only characters needs no machine and gives the same', () => {
    const literal = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '\\.', '\\$', '\\^', '\\\\', '-', ' ', '/', '@'),
      maxLength: 4,
    })
    const bound = fc.tuple(fc.constantFrom('', '^'), literal, fc.constantFrom('', '$'))
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '.', '$', '\\', '/'),
      maxLength: 6,
    })

    fc.assert(
      fc.property(bound, text, ([start, body, end], subject) => {
        const pattern = start + body + end
        const matcher = literalMatcher(pattern)

        expect(matcher?.(subject)).toBe(new RE2JS(pattern).test(subject))
      }),
      { numRuns: draws(2000) },
    )
  })

  test.each(['a+', '.', '[a]', '(a)', 'a|b', '\\d', '\\b', 'a{2}', '😀', '^^a', 'a$$'])(
    '%s is not only characters',
    (pattern) => {
      expect(literalMatcher(pattern)).toBeUndefined()
    },
  )
})

test('a machine that makes more states than it keeps goes on', () => {
  const bits = Array.from({ length: 4000 }, (_, i) =>
    (i * i + (i >> 3)) % 3 === 0 ? 'a' : 'b',
  ).join('')

  expect(tested('(a|b)*a(a|b){10}c', `${bits}c`)).toBe(
    new RE2JS('(a|b)*a(a|b){10}c').test(`${bits}c`),
  )
  expect(tested('a[ab]{11}c$', `${bits}cc`)).toBe(false)
})

test('a pattern that makes others hang takes steps in proportion to the text', () => {
  const evil = `${'a'.repeat(8000)}!`

  expect(tested('^(a+)+$', evil)).toBe(false)
  expect(tested('(x+x+)+y', 'x'.repeat(8000))).toBe(false)
  expect(tested('(.*)(.*)(.*)(.*)[^a!]$', evil)).toBe(false)
})

describe('what is wrong with a pattern is said', () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ['(?=a)', /look-around/],
    ['(?!a)', /look-around/],
    ['(?<=a)b', /look-around/],
    ['(a)\\1', /back-references/],
    ['(?P<x>a)\\k<x>', /back-references/],
    ['a**', /invalid nested repetition operator/],
    ['a{1001}', /invalid repeat count/],
    ['(', /missing closing \)/],
    ['\\Z', /invalid escape sequence/],
    ['a'.repeat(513), /longer than 512/],
    ['[ab]{999}[cd]{999}x{999}', /larger than 2000/],
    [`(${'ab|'.repeat(100)}c){200}`, /larger than 2000/],
  ]

  test.each(rows)('%s', (pattern, problem) => {
    const compiled = compilePattern(pattern)

    expect(compiled).toMatch(problem)
  })
})
