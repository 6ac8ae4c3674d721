import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  escapeControls,
  escapeControlsInLines,
  printableJson,
} from '../../src/cli/terminal/screen.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom('\u001b', '\u009b', '\u202e', '\u0000', '\u007f', '\n', '\t', 'a', 'é', '🛒'),
    )
    .map((characters) => characters.join('')),
)
const control = /\p{Cc}/u

test('a printable text is one line without a control character or a mark that turns it around', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = escapeControls(text)

      expect(shown).not.toMatch(control)
      expect(shown).not.toMatch(/[\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
    }),
  )
})

test('half a character is written as what it is, in text and in JSON', () => {
  expect(escapeControls('a\ud83d b')).toBe('a\\u{d83d} b')
  expect(printableJson('\ud83d', 0)).toBe('"\\ud83d"')
})

test('an ordinary text stays as it is', () => {
  const text = 'Ünïcode 🛒 規則 "quoted" \\n'

  expect(escapeControls(text)).toBe(text)
})

test('printable lines keep lines and tabs, and nothing else', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(escapeControlsInLines(text).replace(/[\n\t]/g, '')).not.toMatch(control)
    }),
  )
  expect(escapeControlsInLines('a\n\tb\r')).toBe('a\n\tb\\u{d}')
})

test('printable JSON reads back as what it was, and holds no control character but line ends', () => {
  fc.assert(
    fc.property(fc.dictionary(anyText, anyText), (value) => {
      const text = printableJson(value, 2)

      expect(JSON.parse(text)).toEqual(value)
      expect(text.replaceAll('\n', '')).not.toMatch(control)
    }),
  )
})
