import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openPaint } from '../../src/cli/terminal/paint.ts'
import { printable, printableJson, printableLines } from '../../src/cli/terminal/printable.ts'
import { table } from '../../src/cli/terminal/table.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom('\u001b', '\u009b', '\u202e', '\u0000', '\u007f', '\n', '\t', 'a', 'é', '🛒'),
    )
    .map((characters) => characters.join('')),
)
const control = /\p{Cc}/u
const plain = openPaint(false)

test('a printable text is one line without a control character or a mark that turns it around', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = printable(text)

      expect(shown).not.toMatch(control)
      expect(shown).not.toMatch(/[\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
    }),
  )
})

test('an ordinary text stays as it is', () => {
  const text = 'Ünïcode 🛒 規則 "quoted" \\n'

  expect(printable(text)).toBe(text)
})

test('printable lines keep lines and tabs, and nothing else', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(printableLines(text).replace(/[\n\t]/g, '')).not.toMatch(control)
    }),
  )
  expect(printableLines('a\n\tb\r')).toBe('a\n\tb\\u{d}')
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

test('the columns of a table line up, and no line ends in white space', () => {
  const columns = [{ title: 'NAME' }, { title: 'N', align: 'right' as const }, { title: 'NOTE' }]
  const row = fc.tuple(anyText, fc.integer().map(String), anyText)

  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const lines = table(columns, rows, plain)
      const nameWidth = Math.max(4, ...rows.map(([name]) => [...printable(name)].length))

      expect(lines).toHaveLength(rows.length + 1)
      for (const line of lines) {
        expect([...line].slice(nameWidth, nameWidth + 2).join('')).toBe('  ')
        expect(line).not.toMatch(/ $/)
      }
    }),
  )
})

test('a cell that is too long is cut off with an ellipsis', () => {
  expect(table([{ title: 'A', widthMax: 5 }], [['123456'], ['12345']], plain)).toEqual([
    'A',
    '1234…',
    '12345',
  ])
})
