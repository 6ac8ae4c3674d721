import { describe, expect, test } from 'vitest'
import { findValueAtPath, formatExcerpt } from '../../src/cli/terminal/errorText.ts'

const spot = (line: number, column: number, length = 1) => ({ line, column, length })

describe('the line that a mistake stands on', () => {
  test.each([
    { at: spot(1, 1), text: 'a && b', shown: 'a && b\n^' },
    { at: spot(2, 3), text: 'a\nb c\nd', shown: 'b c\n  ^' },
    { at: spot(1, 3), text: '\t\tb', shown: '\t\tb\n\t\t^' },
    { at: spot(1, 3), text: 'ab', shown: 'ab\n  ^' },
    // as long as the mistake, on that line
    { at: spot(1, 3, 3), text: 'a and b', shown: 'a and b\n  ^^^' },
    { at: spot(1, 1, 99), text: 'a &&\nb', shown: 'a &&\n^^^^' },
    // as wide as a terminal shows it
    { at: spot(1, 4), text: '🛒ü b', shown: '🛒ü b\n    ^' },
    { at: spot(1, 1, 2), text: '🛒ü b', shown: '🛒ü b\n^^^' },
    {
      at: spot(1, 101),
      text: `${'a'.repeat(100)}!${'b'.repeat(100)}`,
      shown: `${'a'.repeat(50)}!${'b'.repeat(49)}\n${' '.repeat(50)}^`,
    },
    {
      at: spot(1, 61, 1e9),
      text: `${'a'.repeat(60)}${'b'.repeat(400)}`,
      shown: `${'a'.repeat(50)}${'b'.repeat(50)}\n${' '.repeat(50)}${'^'.repeat(50)}`,
    },
  ])('is shown with a mark for $at of $text', ({ at, text, shown }) => {
    expect(formatExcerpt(text, at)).toBe(shown)
  })

  test.each([
    { at: spot(1, 9), text: 'a' },
    { at: spot(7, 2), text: 'a' },
    { at: spot(0, 1), text: 'a' },
    { at: spot(1, 1), text: { a: 1 } },
  ])('is left out for $at of $text', ({ at, text }) => {
    expect(formatExcerpt(text, at)).toBeUndefined()
  })
})

test.each([
  ['a', { b: 1 }],
  ['a.b', 1],
  ['list.1.c', 'found'],
  ['list.7.c', undefined],
  ['a.b.c', undefined],
  ['a.constructor', undefined],
  ['', undefined],
])('under %j stands %j', (path, expected) => {
  expect(findValueAtPath({ a: { b: 1 }, list: [{}, { c: 'found' }] }, path)).toEqual(expected)
})
