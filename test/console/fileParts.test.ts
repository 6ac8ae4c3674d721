import { describe, expect, test } from 'vitest'
import { cutParts, findProblem, readEntryFile } from '../../console/screens/list/fileParts.ts'

describe('a file of entries', () => {
  test('has the columns that its first line names, whatever its line ends', () => {
    const file = readEntryFile('\uFEFFvalue,reason\r\nann@example.com,press\r\n\r\n')

    expect(file).toEqual({
      type: 'text/csv',
      header: 'value,reason',
      lines: ['ann@example.com,press'],
    })
    expect(findProblem(file, 'value')).toBeUndefined()
  })

  test('of objects has no first line to leave out', () => {
    const file = readEntryFile('{"value":"a"}\n{"value":"b"}')

    expect(file).toMatchObject({ type: 'application/x-ndjson', lines: { length: 2 } })
  })

  test('without the column of the value, or without entries, is refused before it is sent', () => {
    expect(findProblem(readEntryFile('number\n+33612345678'), 'phone_number')).toContain('number')
    expect(findProblem(readEntryFile('value\n'), 'value')).toBe('The file has no entries.')
    expect(findProblem(readEntryFile(''), 'value')).toBe('The file has no entries.')
  })

  test('is cut into parts that hold every line once, each with the names of the columns', () => {
    const lines = Array.from({ length: 4_500 }, (_, index) => `user${index}@example.com`)
    const parts = cutParts(readEntryFile(['value', ...lines].join('\n')))

    expect(parts.map(({ linesBefore }) => linesBefore)).toEqual([0, 2_000, 4_000])
    expect(parts.flatMap(({ body }) => body.trimEnd().split('\n').slice(1))).toEqual(lines)
    expect(parts.every(({ body }) => body.startsWith('value\n'))).toBe(true)
  })

  test('of long lines is cut by characters, so that no proxy refuses a part', () => {
    const file = readEntryFile(`value\n${`${'x'.repeat(8_000)}\n`.repeat(300)}`)

    expect(cutParts(file).every(({ body }) => body.length < 1_000_000)).toBe(true)
  })
})
