import { describe, expect, test } from 'vitest'
import { valueAt, withExcerpt } from '../../src/cli/terminal/excerpt.ts'

const at = (place: string) => `ERROR: <input>:${place}: wrong`

describe('the line that a message speaks of', () => {
  test.each([
    { place: '1:1', text: 'a && b', shown: 'a && b\n^' },
    { place: '2:3', text: 'a\nb c\nd', shown: 'b c\n  ^' },
    { place: '1:3', text: '\t\tb', shown: '\t\tb\n\t\t^' },
    { place: '1:4', text: '🛒ü b', shown: '🛒ü b\n   ^' },
    { place: '1:3', text: 'ab', shown: 'ab\n  ^' },
    {
      place: '1:101',
      text: `${'a'.repeat(100)}!${'b'.repeat(100)}`,
      shown: `${'a'.repeat(50)}!${'b'.repeat(49)}\n${' '.repeat(50)}^`,
    },
  ])('stands below it for $place of $text', ({ place, text, shown }) => {
    expect(withExcerpt(at(place), text)).toBe(`${at(place)}\n${shown}`)
  })

  test.each([
    { message: 'Must be a text.', text: 'a' },
    { message: at('1:9'), text: 'a' },
    { message: at('7:2'), text: 'a' },
    { message: at('1:0'), text: 'a' },
    { message: at('1:1'), text: undefined },
  ])('is left out for $message of $text', ({ message, text }) => {
    expect(withExcerpt(message, text)).toBe(message)
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
  expect(valueAt({ a: { b: 1 }, list: [{}, { c: 'found' }] }, path)).toEqual(expected)
})
