import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import {
  escapeControls,
  openPaint,
  openScreen,
  type Screen,
} from '../../src/cli/terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../../src/cli/terminal/table.ts'

type Row = readonly string[]
type Column = Omit<
  Exclude<ItemColumns<Row>[string], string | number | symbol | ((row: Row) => string)>,
  'cell'
> & { readonly title: string }

/** A table of texts. */
function formatTable(columns: readonly Column[], rows: readonly Row[], screen: Screen) {
  const cells = columns.map(({ title, ...layout }, at) => {
    const cell = (row: Row): string => row[at] ?? ''
    return [title, { ...layout, cell }] as const
  })
  return formatItemTable(Object.fromEntries(cells), rows, screen)
}

const plain = openPaint(false)
const endless: Screen = { paint: plain, width: Number.POSITIVE_INFINITY }
const at = (width: number): Screen => ({ paint: plain, width })
const id = (digit: string) => `rul_${digit.repeat(26)}`

const pieces = [
  ...['規', '則', '🛒', '👩‍👩‍👧', 'e\u0301', 'ｶﾞ', 'a', 'B', '7', '-', ' ', '\u001b', '\u200b'],
  '\ud83d',
]
const text = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('', `managed ${id('7')}`, 'waits for signal.ext.minutes_since_the_last_signup'),
)
const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'SCORE', align: 'right' },
  { title: 'RULE', narrow: 'wrap' },
  { title: 'NOTE', narrow: 'wrap' },
]
const row = fc.tuple(
  fc.constantFrom(id('1'), id('2')),
  fc.integer({ min: 0, max: 100 }).map(String),
  text,
  text,
)
const rows = fc.array(row, { maxLength: 6 })

/** What can be seen in two columns of the terminal, a wide character that reaches into them included. */
function seenAt(line: string, column: number): string {
  let used = 0
  let seen = ''
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const width = stringWidth(segment)
    if (width > 0 && used + width > column && used < column + 2) seen += segment
    used += width
  }
  return seen.trim()
}

describe('a table on a screen without an end', () => {
  test('has columns that line up, whatever stands in them, and no white space at its ends', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const lines = formatTable(columns, given, endless)
        const starts = [
          30,
          37,
          39 + Math.max(4, ...given.map(([, , rule]) => stringWidth(escapeControls(rule)))),
        ]

        expect(lines).toHaveLength(given.length + 1)
        for (const line of lines) {
          expect(line).not.toMatch(/ $/)
          for (const start of starts) expect(seenAt(line, start)).toBe('')
        }
      }),
    )
  })

  test('measures characters as a terminal shows them', () => {
    const names = ['plain', '規則', '🛒 x', 'e\u0301a', '👩‍👩‍👧', 'a\u200bb']

    const lines = formatTable(
      [{ title: 'NAME' }, { title: 'N' }],
      names.map((name) => [name, '1']),
      endless,
    )

    expect(lines).toEqual([
      'NAME   N',
      'plain  1',
      '規則   1',
      '🛒 x   1',
      'e\u0301a     1',
      '👩‍👩‍👧     1',
      'a\u200bb     1',
    ])
  })

  test('cuts a cell off with an ellipsis, before a wide character that has no room', () => {
    const cells = [['123456'], ['12345'], ['12規則'], ['123規則']]

    expect(formatTable([{ title: 'A', widthMax: 5 }], cells, endless)).toEqual([
      'A',
      '1234…',
      '12345',
      '12規…',
      '123…',
    ])
  })
})

describe('a table on a narrow screen', () => {
  const width = fc.integer({ min: 8, max: 120 })

  test('has no line wider than the screen but one that is an id and nothing else, and no id is broken', () => {
    fc.assert(
      fc.property(rows, width, (given, columnsOfTerminal) => {
        const lines = formatTable(columns, given, at(columnsOfTerminal))

        for (const line of lines) {
          // a space before a character without width stays at the end, where nobody sees it
          const seen = line.replace(/[\s\u200b]+$/u, '')
          if (stringWidth(seen) > columnsOfTerminal) expect(line.trim()).toMatch(/^rul_(.)\1{25}$/)
        }
        for (const [own] of given) expect(lines.join('\n')).toContain(own)
        const named = given.filter(([, , ...texts]) => texts.some((one) => one.includes(id('7'))))
        expect(lines.filter((line) => line.includes(id('7'))).length >= named.length).toBe(true)
      }),
    )
  })

  test('loses no character of a text that goes on below', () => {
    const visible = (text: string) => [...text.normalize().replaceAll(/\s/gu, '')].sort()
    const lost = (of: string, shown: string) => {
      const left = visible(shown)
      return visible(of).filter((character) => {
        const found = left.indexOf(character)
        if (found >= 0) left.splice(found, 1)
        return found < 0
      })
    }

    fc.assert(
      fc.property(row, fc.integer({ min: 70, max: 120 }), (given, columnsOfTerminal) => {
        const lines = formatTable(columns, [given], at(columnsOfTerminal))

        expect(lost(given.map(escapeControls).join(''), lines.join(''))).toEqual([])
      }),
    )
  })

  test('keeps ids whole, lets texts go on below, and cuts what is to be cut', () => {
    const shown = formatTable(
      [{ title: 'ID' }, { title: 'NAME', narrow: 'wrap' }, { title: 'EXPRESSION', narrow: 'cut' }],
      [
        [id('1'), 'Disposable e-mail domain', 'emailDomain(target.email_address) in ["a.com"]'],
        [id('2'), 'Short', 'list.block'],
      ],
      at(66),
    )

    expect(`\n${shown.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      ID                              NAME              EXPRESSION
      rul_11111111111111111111111111  Disposable        emailDomain(tar…
                                      e-mail domain
      rul_22222222222222222222222222  Short             list.block
      "
    `)
  })

  test('keeps words whole while there is room for them', () => {
    const titles: readonly Column[] = [
      { title: 'RULE', narrow: 'wrap' },
      { title: 'NOTE', narrow: 'wrap' },
    ]
    const given = [['Web client that claims to be a phone', 'needs signal.device_platform']]

    const lines = formatTable(titles, given, at(44))
    const narrower = formatTable(titles, given, at(26))

    expect(lines.join('\n')).toContain('signal.device_platform')
    expect(narrower.join('\n')).not.toContain('signal.device_platform')
    for (const line of narrower) expect(stringWidth(line)).toBeLessThanOrEqual(26)
  })

  test('turns rows into records where even the ids have no room beside one another', () => {
    const shown = formatTable(
      [
        { title: 'ID' },
        { title: 'FLOW' },
        { title: 'VERDICT', coloured: true },
        { title: 'NOTE', narrow: 'wrap' },
      ],
      [
        [id('1'), id('2'), 'FLAG', 'a note that is longer than the rest of the screen'],
        [id('3'), id('4'), 'PASS', ''],
      ],
      at(42),
    )

    expect(`\n${shown.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      ID       rul_11111111111111111111111111
      FLOW     rul_22222222222222222222222222
      VERDICT  FLAG
      NOTE     a note that is longer than the
               rest of the screen

      ID       rul_33333333333333333333333333
      FLOW     rul_44444444444444444444444444
      VERDICT  PASS
      "
    `)
  })

  test('puts an id below its title where it has no room beside it', () => {
    const lines = formatTable([{ title: 'A LONG TITLE' }], [[id('1')]], at(35))

    expect(lines).toEqual(['A LONG TITLE', id('1')])
    expect(formatTable([{ title: 'ID' }], [[id('1')]], at(10))).toEqual(['ID', id('1')])
  })

  test('colours words without losing their places', () => {
    const given = [['FLAG', 'a rather long name of a rule']]
    const titles: readonly Column[] = [
      { title: 'VERDICT', coloured: true },
      { title: 'NAME', narrow: 'wrap' },
    ]

    const coloured = formatTable(titles, given, { paint: openPaint(true), width: 24 })
    const uncoloured = formatTable(titles, given, at(24))

    expect(coloured.join('\n')).toContain('\u001b[31mFLAG\u001b[39m')
    expect(coloured.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual(uncoloured)
  })
})

describe('a text that goes on below', () => {
  test.each([
    ['one two three', 12, ['one two', 'three']],
    ['abcdefghijklmnopqrst', 12, ['abcdefghijkl', 'mnopqrst']],
    ['規則規則規則規', 13, ['規則規則規則', '規']],
    [`a ${id('1')} b`, 12, ['a', id('1'), 'b']],
  ])('%j in %i columns', (given, width, lines) => {
    const shown = formatTable([{ title: '', narrow: 'wrap' }], [[given]], at(width))

    expect(shown.filter((line) => line !== '')).toEqual(lines)
  })
})

describe('the screen', () => {
  const environment = { colour: true }
  const terminal = { isTty: true, columns: 80, write: () => undefined }

  test('is as wide as the terminal', () => {
    expect(openScreen(terminal, environment, false).width).toBe(80)
  })

  test.each([
    ['a pipe', { ...terminal, isTty: false }, false],
    ['a terminal that does not say', { ...terminal, columns: undefined }, false],
    ['a terminal that says 0', { ...terminal, columns: 0 }, false],
    ['JSON', terminal, true],
  ])('has no end for %s', (_, output, json) => {
    expect(openScreen(output, environment, json).width).toBe(Number.POSITIVE_INFINITY)
  })
})
