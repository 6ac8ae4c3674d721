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

test.each(['+33612345678', '-12.5', '+0'])(
  'the number %s, which nothing can run, is written as it is',
  (number) => {
    expect(formatCsvLine([number])).toBe(number)
    expect(parseCsvLine(number)).toEqual([number])
  },
)

test('a number that an earlier export wrote with an apostrophe is read without it', () => {
  expect(parseCsvLine("'+33612345678")).toEqual(['+33612345678'])
})

test.each(["'+33612345678", "''+1", "'-1"])('the text %s is read back as it was', (text) => {
  expect(parseCsvLine(formatCsvLine([text]))).toEqual([text])
})

test.each(['+1+1', '-1-cmd', '+1.2.3', '+1 ', '+', '-a', '+1\n=1'])('%o is guarded', (cell) => {
  expect(formatCsvLine([cell]).replaceAll('"', '')).toBe(`'${cell}`)
  expect(parseCsvLine(formatCsvLine([cell]))).toEqual([cell])
})

test('any other cell is written as it is', () => {
  expect(formatCsvLine(["it's", "'a", '1=1', ''])).toBe("it's,'a,1=1,")
})
