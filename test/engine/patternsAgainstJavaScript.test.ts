import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../src/engine/language/pattern/compilePattern.ts'
import { draws } from '../support/draws.ts'

/** A pattern as text that RE2 and JavaScript (with the flag `u`) read alike. */
function tested(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') throw new Error(`${pattern}: ${compiled}`)
  return compiled.test(text)
}

const chars = ['a', 'b', 'c', 'A', '0', '9', '_', '-', '.', ' ', 'é', '😀', '\t']
const text = fc.string({ unit: fc.constantFrom(...chars), maxLength: 10 })

// neither side is written with what the two read differently: \s, (?i), $ before a line end, classes of Unicode
const atom = fc.constantFrom(
  ...['a', 'b', 'c', 'é', '😀', '0', '_', ' ', '-', '\\.', '.', '\\d', '\\D', '\\w', '\\W', '\\t'],
  ...[
    '[ab]',
    '[^ab]',
    '[a-c]',
    '[^a-c0-9]',
    '[é😀]',
    '[^😀]',
    '[\\d_]',
    '[\\-.]',
    '(?:ab|c)',
    '(a|bc)',
  ],
)
const edge = fc.constantFrom('', '', '', '^', '$', '\\b', '\\B')
const times = fc.constantFrom(
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{2}',
  '{1,2}',
  '{0,1}',
  '{2,}',
)

const pattern = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'js' },
    fc.tuple(atom, times).map(([a, b]) => a + b),
    fc.tuple(edge, tie('pattern'), edge).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie('pattern'), times).map(([a, b]) => `(?:${a})${b}`),
  ),
})).pattern

describe('what is written alike finds alike', () => {
  test('for any pattern and text', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 4 }), (source, texts) => {
        // V8 also looks between the halves of a pair, where it finds that no word begins or ends
        fc.pre(!(source.includes('\\B') && texts.some((value) => value.includes('😀'))))
        const reference = new RegExp(source, 'u')

        expect(texts.map((value) => [value, tested(source, value)])).toEqual(
          texts.map((value) => [value, reference.test(value)]),
        )
      }),
      { numRuns: draws(500) },
    )
  })

  test('over lines, with the flag m', () => {
    const lines = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 8 })
    const inner = fc.constantFrom(
      '^a',
      'b$',
      '^$',
      '^a*$',
      'a$',
      '^b',
      '^(?:ab)+$',
      '\\na',
      '[^a]$',
    )

    fc.assert(
      fc.property(inner, lines, (source, value) => {
        expect(tested(`(?m)${source}`, value)).toBe(new RegExp(source, 'mu').test(value))
      }),
      { numRuns: draws(300) },
    )
  })

  test('in either case of ASCII letters, with the flag i', () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', 'A', 'z', 'Z', '1', '@', '`', '['),
      maxLength: 6,
    })
    const inner = fc.constantFrom('az', 'A+1', '^[a-y]+$', '[^A]', 'Z{2}', '[Z-`]', '^@a|z$')

    fc.assert(
      fc.property(inner, letters, (source, value) => {
        expect(tested(`(?i)${source}`, value)).toBe(new RegExp(source, 'iu').test(value))
      }),
      { numRuns: draws(300) },
    )
  })

  test('one character at a time: every ASCII character against every class', () => {
    const classes = [
      '\\d',
      '\\D',
      '\\w',
      '\\W',
      '.',
      '[!-/]',
      '[^\\w]',
      '[a-fA-F0-9]',
      '[\\]\\[]',
      '[\\^]',
    ]

    for (const source of classes) {
      const reference = new RegExp(`^${source}$`, 'u')
      const found = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
        // JavaScript has three more line ends than RE2
        .filter((char) => char !== '\r')
        .filter((char) => tested(`^${source}$`, char) !== reference.test(char))

      expect([source, found]).toEqual([source, []])
    }
  })
})

describe('a text that a pattern is made to find is found', () => {
  test('whatever the text', () => {
    const any = fc.string({
      unit: fc.oneof(fc.constantFrom(...'\\.+*?()|[]{}^$/-'), fc.constantFrom(...chars)),
      maxLength: 8,
    })

    fc.assert(
      fc.property(any, any, any, (before, sought, after) => {
        const quoted = sought.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')

        expect(tested(quoted, before + sought + after)).toBe(true)
        expect(tested(`^${quoted}$`, sought)).toBe(true)
        expect(tested(`^${quoted}`, sought + after)).toBe(true)
        expect(tested(`${quoted}$`, before + sought)).toBe(true)
        expect(tested(`^${quoted}$`, `${sought}x`)).toBe(false)
        expect(tested(`^${quoted}$`, `x${sought}`)).toBe(false)
      }),
      { numRuns: draws(200) },
    )
  })
})

describe('what RE2 reads otherwise than JavaScript', () => {
  test.each([
    // `$` is the end of the text, `.` is anything but a line feed
    ['a$', 'a\n', false],
    ['^.$', '\r', true],
    ['^.$', '\u2028', true],
    // `\s` and `\b` know ASCII alone
    ['^\\s$', '\u00a0', false],
    ['^\\s$', '\v', false],
    ['^\\s$', '\f', true],
    ['\\bé', 'xé', true],
    // flags in groups, names, classes of Unicode, quoted text, points
    ['(?i:A)b', 'aB', false],
    ['(?i:A)b', 'ab', true],
    ['(?P<name>a)', 'a', true],
    ['^\\p{Greek}+$', 'λόγος', true],
    ['^\\p{Lu}', 'é', false],
    ['\\Qa.b\\E+', 'a.bb', true],
    ['^\\x{1F600}$', '😀', true],
    ['^[[:digit:]]+$', '42', true],
    ['^\\C', 'a', true],
    ['\\za', 'a', false],
    ['(?s).', '\n', true],
    ['(?U)^a+', 'a', true],
    ['(?i)ſ', 's', true],
    ['\\B', 'a😀a', false],
    ['\\B', 'a😀😀a', true],
  ])('%s in %j is %s', (source, value, found) => {
    const compiled = compilePattern(source)
    if (source.includes('\\C')) {
      expect(compiled).toMatch(/not a regular expression/)
      return
    }

    expect(tested(source, value)).toBe(found)
  })
})

describe('one pattern asked again and again', () => {
  test('answers each text as a pattern made for it alone', () => {
    const sources = ['(a|b)*c', '\\bab\\b', '^(?:a|é)+$', '[^a]b.', 'a{2,3}$', '(?m)^b']
    const reused = new Map(sources.map((source) => [source, compilePattern(source)]))

    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(text, { maxLength: 12 }),
        (source, texts) => {
          const known = reused.get(source)
          if (known === undefined || typeof known === 'string') throw new Error(source)

          expect(texts.map(known.test)).toEqual(texts.map((value) => tested(source, value)))
        },
      ),
      { numRuns: draws(150) },
    )
  })

  test('knows more characters than it remembers', () => {
    const compiled = compilePattern('^[^x]*y$')
    if (typeof compiled === 'string') throw new Error(compiled)
    const wide = Array.from({ length: 1000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')

    expect(compiled.test(`${wide}y`)).toBe(true)
    expect(compiled.test(`${wide}xy`)).toBe(false)
    expect(compiled.test(`${wide}${wide}y`)).toBe(true)
  })
})
