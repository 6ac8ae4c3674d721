import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../src/engine/language/pattern/compilePattern.ts'
import { compileLiteralPattern } from '../../src/engine/language/pattern/patternSize.ts'
import { compileRe2Pattern } from '../../src/engine/language/pattern/re2Pattern.ts'
import { draws } from '../support/draws.ts'

const tested = (pattern: string, text: string): boolean => {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') throw new Error(compiled)
  return compiled.test(text)
}

describe('for any pattern and text', () => {
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
        const machine = compileRe2Pattern(pattern)
        if (typeof machine === 'string') throw new Error(machine)

        expect(compileLiteralPattern(pattern)?.(subject)).toBe(machine.test(subject))
      }),
      { numRuns: draws(2000) },
    )
  })

  test.each(['a+', '.', '[a]', '(a)', 'a|b', '\\d', '\\b', 'a{2}', '😀', '^^a', 'a$$'])(
    '%s is not only characters',
    (pattern) => {
      expect(compileLiteralPattern(pattern)).toBeUndefined()
    },
  )
})

test('a machine that makes more states than it keeps goes on', () => {
  const bits = Array.from({ length: 4000 }, (_, i) =>
    (i * i + (i >> 3)) % 3 === 0 ? 'a' : 'b',
  ).join('')

  expect(tested('[ab]*a[ab]{10}[cd]', `${bits}c`)).toBe(bits.at(-11) === 'a')
  expect(tested('[ab]*a[ab]{600}[cd]', `${bits}c`)).toBe(bits.at(-601) === 'a')
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
