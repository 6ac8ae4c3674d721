import { describe, expect, test } from 'vitest'
import { formatCsvLine, parseCsvLine } from '../../src/domain/text/csv.ts'

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n']

describe.each(signs)('a cell that begins with %o', (sign) => {
  const cell = `${sign}HYPERLINK(1)`

  test('is written with an apostrophe in front, so that no spreadsheet takes it for a formula', () => {
    expect(formatCsvLine(['a', cell]).replaceAll('"', '')).toBe(`a,'${cell}`)
  })

  test('is read back as it was, however many apostrophes it begins with', () => {
    const cells = [cell, `'${cell}`, `''${cell}`]

    expect(parseCsvLine(formatCsvLine(cells))).toEqual(cells)
  })
})

test('any other cell is written as it is', () => {
  expect(formatCsvLine(["it's", "'a", '1=1', ''])).toBe("it's,'a,1=1,")
})
