import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measurePattern } from '../../src/engine/language/pattern/patternSize.ts'
import { compileRe2Pattern } from '../../src/engine/language/pattern/re2Pattern.ts'
import { draws } from '../support/draws.ts'

describe('the size of a pattern', () => {
  const rows: readonly (readonly [what: string, pattern: string, size: number])[] = [
    ['characters alone need no machine', 'bot/2\\.0', 1],
    ['characters', '(?i)bot', 5],
    ['alternatives', 'a|bc', 6],
    ['groups', '(?:ab)+', 5],
    ['groups that capture', '(ab)+', 7],
    ['an alternative of nothing', '(?:a|)', 5],
    ['a counted repetition', 'a{1000}', 1002],
    ['one with a range', '(?:ab){2,4}', 12],
    ['one that goes on', 'a{3,}', 7],
    ['nested ones', '(?:a{10}){20}', 202],
    ['braces that count nothing', 'a{x}', 6],
    ['a lazy one', 'a{3}?b', 6],
    ['a class', '[a-z0-9]', 4],
    ['a class repeated is made once', '[a-z0-9]{64}', 67],
    ['a Unicode class', '\\pL', 51],
    ['one repeated is made once', '\\p{Greek}{10}', 60],
    ['a range of which every character has its other case looked up', '(?i)[\u{4e00}-\u{4e1f}]', 5],
    ['one over all characters', '(?i)[\\x{0}-\\x{10ffff}]', 4],
    ['one over all that have another case', '(?i)[B-\u{1e942}]', 3916],
    ['a bracket in a class', '[]a]', 4],
    ['a code in braces', '\\x{1000}a+', 5],
    ['quoted characters', '\\Q.*\\E+', 5],
  ]

  test.each(rows)('%s: %s', (_, pattern, size) => {
    expect(measurePattern(pattern)).toBe(size)
  })

  const parts = [
    ...['a', '.', '\\pL', '\\d', '[a-c]', '[^\\pN]', '(?i)', '(', '(?:', '(?P<n>', ')', '|', '()'],
    ...['*', '+', '?', '{0}', '{2}', '{0,}', '{3,}', '{2,4}', '{0,9}', '{', '}', '{,3}', '{02}'],
    ...['\\x{61}', '\\x61', '\\141', '\\Q', '\\E', '[', ']', '[:alpha:]', '\\b', '^', '$', '😀'],
    '-',
  ]

  test('is never less than the instructions that the pattern becomes', () => {
    const soup = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((all) => all.join(''))
    let compiled = 0

    fc.assert(
      fc.property(soup, (pattern) => {
        const size = measurePattern(pattern)
        fc.pre(size <= 10_000)
        const made = compileRe2Pattern(pattern)
        if (typeof made === 'string') return
        compiled += 1
        if (size > 1) expect(size).toBeGreaterThanOrEqual(made.instructions)
      }),
      { numRuns: draws(5000) },
    )
    expect(compiled).toBeGreaterThan(draws(500))
  })
})
