import { describe, expect, test } from 'vitest'
import { type Figure, figureOf, type RecordedFigure, type Target } from '../../bench/figure.ts'
import { markdownTable, shortNumber, textTable, withTable } from '../../bench/table.ts'

const machine = { cpu: 'A processor', cores: 2, memoryGiB: 8, node: 'v20.0.0', os: 'Linux 6 x64' }

function figure(target: Target, values: readonly number[]): Figure {
  return figureOf({ name: 'what', against: 'that', unit: 'times', target }, values, ['a | note'])
}

const recorded = (one: Figure): RecordedFigure => ({
  ...one,
  part: 'engine',
  machine,
})

describe('a figure', () => {
  test.each([
    { bound: 'at most', value: 2, holds: true },
    { bound: 'at most', value: 1.9, holds: false },
    { bound: 'at least', value: 2, holds: true },
    { bound: 'at least', value: 2.1, holds: false },
  ] as const)('of 2 and a target of $bound $value holds: $holds', ({ bound, value, holds }) => {
    const found = figure({ bound, value }, [1, 2, 30])

    expect(found).toMatchObject({ value: 2, target: value, bound, holds, rounds: 3 })
  })
})

describe('the table for the terminal', () => {
  test('says what misses its target', () => {
    const text = textTable([figure({ bound: 'at least', value: 4 }, [1, 2, 3])])

    expect(text).toContain('MISSES 2.00 times (at least 4; 1.50 to 2.50, 3 rounds)')
  })

  test('says what holds, and against what', () => {
    const text = textTable([figure({ bound: 'at most', value: 4 }, [1, 2, 3])])

    expect(text).toMatch(/^holds /)
    expect(text).toContain('against that')
  })
})

describe('the table of the page', () => {
  test('has a row for each figure, its bars escaped', () => {
    const table = markdownTable([recorded(figure({ bound: 'at most', value: 4 }, [2]))])

    const row = table.split('\n').at(-1)
    expect(row).toBe(
      '| what | that | at most 4 | **2.00 times** | 2.00 to 2.00 | yes | a \\| note |',
    )
  })

  test('replaces what stands between its marks and nothing else', () => {
    const page =
      'before\n<!-- table: written by npm run bench -->\nold\n<!-- end of table -->\nafter\n'

    const again = withTable(withTable(page, 'new'), 'newer')

    expect(again).toBe(page.replace('old', 'newer'))
  })

  test('is refused by a page without marks', () => {
    expect(() => withTable('a page', 'table')).toThrow('no place')
  })
})

test.each([
  { value: 0, text: '0' },
  { value: 0.01234, text: '0.0123' },
  { value: -0.0918, text: '-0.0918' },
  { value: 1.5, text: '1.50' },
  { value: 12.34, text: '12.3' },
  { value: 1234.5, text: '1235' },
  { value: 0.000000012, text: '0.000000' },
])('$value is written $text', ({ value, text }) => {
  expect(shortNumber(value)).toBe(text)
})
