import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../src/engine/language/pattern/compilePattern.ts'

/**
 * The characters of every Unicode class that a pattern can name, in the version of Unicode that verdicts are recorded
 * with. By name the ranges of its characters, and behind a bar those that are equal to one of them where case does not
 * count. A range is how far it begins behind the end of the one before, and, behind a plus, by how much its last
 * character is behind its first.
 */
const unicodeRanges = JSON.parse(
  readFileSync('test/engine/fixtures/unicodeRanges.json', 'utf8'),
) as Readonly<Record<string, string>>

const matches = (pattern: string, text: string): boolean => {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') throw new Error(compiled)
  return compiled.test(text)
}

type Range = readonly [first: number, last: number]

function rangesOf(text: string): readonly Range[] {
  let last = 0
  return text.split(' ').map((range): Range => {
    const [behind = '', more = '0'] = range.split('+')
    const first = last + Number.parseInt(behind, 36)
    last = first + Number.parseInt(more, 36)
    return [first, last]
  })
}

const isWithin = (ranges: readonly Range[], code: number): boolean =>
  ranges.some(([first, last]) => first <= code && code <= last)

/** The characters on both sides of every end of a range, by whether a class of these ranges has them. */
function borders(ranges: readonly Range[]): { readonly has: string; readonly lacks: string } {
  const codes = ranges.flatMap(([first, last]) => [first - 1, first, last, last + 1])
  const known = codes.filter(
    (code) => code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff),
  )
  const textOf = (kept: boolean) =>
    known
      .filter((code) => isWithin(ranges, code) === kept)
      .map((code) => String.fromCodePoint(code))
  return { has: textOf(true).join(''), lacks: textOf(false).join('') }
}

describe('the Unicode classes of patterns', () => {
  test.each(Object.entries(unicodeRanges))('have the characters they had: %s', (name, written) => {
    const [plain = [], folded] = written.split('|').map(rangesOf)
    for (const [flags, ranges] of [
      ['', plain],
      ['(?i)', [...plain, ...(folded ?? [])]],
    ] as const) {
      const { has, lacks } = borders(ranges)
      expect([
        matches(`${flags}^\\p{${name}}*$`, has),
        matches(`${flags}\\p{${name}}`, lacks),
      ]).toEqual([true, false])
    }
  })
})
